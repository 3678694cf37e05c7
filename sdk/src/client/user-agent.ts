/** How the client calls itself. The version is that of the package, which a test holds it to. */
export const USER_AGENT = 'fish-crab-sdk/0.1.0'
