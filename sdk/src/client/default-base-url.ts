/** Where the client looks for the service when `baseUrl` is not given. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787'
