import type * as z from 'zod/mini'
import * as schemas from '../src/contract/schemas.ts'
import { shapeOf } from './shapes-of.ts'

/** A file of shapes: its path, and its schemas by name, each with the type of the values that it describes. */
interface ShapeFile {
  readonly path: string
  readonly schemas: Readonly<Record<string, { readonly type: string; readonly schema: z.ZodMiniType }>>
}

const CONTRACT = 'contract/schemas.ts'

/** Every response that clients read. Responses for administrators, and others that most pages never read, are in separate files. */
export const SHAPE_FILES: readonly ShapeFile[] = [
  {
    path: 'src/client/shapes/shapes.generated.ts',
    schemas: {
      fishCollection: { type: 'FishCollection', schema: schemas.fishCollectionSchema },
      crabCollection: { type: 'CrabCollection', schema: schemas.crabCollectionSchema },
      fishSummary: { type: 'FishSummary', schema: schemas.fishSummarySchema },
      crabSummary: { type: 'CrabSummary', schema: schemas.crabSummarySchema },
      status: { type: 'Status', schema: schemas.statusSchema },
    },
  },
  {
    path: 'src/client/shapes/on-demand.generated.ts',
    schemas: {
      profile: { type: 'Profile', schema: schemas.profileSchema },
      publicLeaderboard: { type: 'PublicLeaderboard', schema: schemas.publicLeaderboardSchema },
      knownSpecies: { type: 'KnownSpecies', schema: schemas.knownSpeciesSchema },
      saved: { type: 'Saved', schema: schemas.savedSchema },
      userKey: { type: 'UserKey', schema: schemas.keySchema },
      accountVisibility: { type: 'AccountVisibility', schema: schemas.accountResultSchema },
      userName: { type: 'UserName', schema: schemas.userNameResultSchema },
    },
  },
  {
    path: 'src/admin/shapes.generated.ts',
    schemas: {
      session: { type: 'Session', schema: schemas.sessionSchema },
      administrator: { type: 'Administrator', schema: schemas.adminSchema },
      ownAccount: { type: 'OwnAccount', schema: schemas.ownAccountSchema },
      administratorList: { type: 'AdministratorList', schema: schemas.adminListSchema },
      userDetails: { type: 'UserDetails', schema: schemas.userDetailsSchema },
      userList: { type: 'UserList', schema: schemas.userListSchema },
      createdUser: { type: 'CreatedUser', schema: schemas.createdUserSchema },
      suspension: { type: 'Suspension', schema: schemas.suspensionResultSchema },
      loginLink: { type: 'LoginLink', schema: schemas.loginLinkSchema },
      createdInvitation: { type: 'CreatedInvitation', schema: schemas.createdInvitationSchema },
      invitationList: { type: 'InvitationList', schema: schemas.invitationListSchema },
      newPassword: { type: 'NewPassword', schema: schemas.newPasswordSchema },
      newApiKey: { type: 'NewApiKey', schema: schemas.newApiKeySchema },
      stats: { type: 'Stats', schema: schemas.statsSchema },
      leaderboard: { type: 'Leaderboard', schema: schemas.leaderboardSchema },
      auditPage: { type: 'AuditPage', schema: schemas.auditPageSchema },
    },
  },
]

/** The text of a file of shapes. */
export function render({ path, schemas: described }: ShapeFile): string {
  const up = '../'.repeat(path.split('/').length - 2)
  const shapes = path.startsWith('src/client/shapes') ? './' : '../client/shapes/'
  const types = Object.values(described).map(({ type }) => type)
  return [
    `// Generated from ${CONTRACT} by \`npm run generate\`; \`npm run check\` fails if it is out of date.`,
    `import type { ${types.sort().join(', ')} } from '${up}${CONTRACT}'`,
    `import { responseShape } from '${shapes}shape.ts'`,
    ...Object.entries(described).map(
      ([name, { type, schema }]) =>
        `\n/** Shape of {@link ${type}}, for checking responses. */\nexport const ${name}Shape = /* @__PURE__ */ responseShape<${type}>(${JSON.stringify(shapeOf(schema))})`,
    ),
    '',
  ].join('\n')
}
