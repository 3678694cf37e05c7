/** Jest for TypeScript and ECMAScript modules, without Babel. */
export default {
  testMatch: ['**/*.jest.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': './strip-types.js' },
}
