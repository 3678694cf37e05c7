/** Removes the types, as Node does when it runs a TypeScript file. */
import { stripTypeScriptTypes } from 'node:module'

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) }
