export { ERROR_SCHEMA } from './core/errors.ts'
