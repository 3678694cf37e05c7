export { FAILURE_SCHEMA } from './core/errors.ts'
