export { type ChatMessage, chatMessageOf, stripChatFormatting } from './message.ts'
export type { ChatCatch, ChatCrab, ChatFish } from './parser.ts'
export {
  CHAT_PATTERNS,
  type ChatParser,
  type ChatParserOptions,
  type ChatPattern,
  type ChatRule,
  createChatParser,
  parseChatLine,
} from './parser.ts'
