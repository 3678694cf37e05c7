/** The parts of the contract, in the order they are checked, each with the heading it stands under. */
export const SECTIONS = {
  answers: 'Answers in general',
  cors: 'Answers in general: CORS',
  bodies: 'Answers in general: request bodies',
  names: 'Public endpoints: user names and gamemodes',
  status: 'Public endpoints: GET /status, GET /demo/…',
  reads: 'Public endpoints: GET /get/fish, GET /get/crab',
  writes: 'Public endpoints: POST /post/fish, POST /post/crab',
  tokens: 'Public endpoints: Fernet tokens',
  admin: 'Admin endpoints (JWT)',
  operations: 'Operations',
  key: 'Public endpoints: GET /get/user/key',
  'rate-limit': 'Rate limit',
} as const

/** The name of a part of the contract. */
export type Section = keyof typeof SECTIONS
