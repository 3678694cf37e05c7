export { type CatchPattern, type MatcherResult, type MockMatchers, mockMatchers } from './matchers.ts'
