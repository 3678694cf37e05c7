export { type ChatMessage, chatMessageOf, stripChatFormatting } from './message.ts'
export type { ChatCatch, ChatCrab, ChatFish } from './parser.ts'
export {
  CHAT_PATTERNS,
  type ChatParserOptions,
  type ChatPattern,
  type ChatRule,
  parseChatLine,
} from './parser.ts'
export { type ChatTemplate, createChatPattern } from './template.ts'
