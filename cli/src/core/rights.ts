/** Whose rights a command takes. */
export type Rights = 'player' | 'administrator' | 'superadmin'
