import type * as z from 'zod/mini'
import * as admin from '../src/contract/schemas/admin.ts'
import * as catches from '../src/contract/schemas/catches.ts'
import * as service from '../src/contract/schemas/service.ts'
import { shapeOf } from './shapes-of.ts'

/** A file of shapes: where it stands, and the schemas by the name and type of what they describe. */
interface ShapeFile {
  readonly path: string
  readonly contract: string
  readonly schemas: Readonly<Record<string, { readonly type: string; readonly schema: z.ZodMiniType }>>
}

/** Every answer that clients read. Those of administrators stand apart, so that players do not carry them. */
export const SHAPE_FILES: readonly ShapeFile[] = [
  {
    path: 'src/client/shapes/catches.generated.ts',
    contract: 'contract/schemas/catches.ts',
    schemas: {
      fishCollection: { type: 'FishCollection', schema: catches.fishCollectionSchema },
      crabCollection: { type: 'CrabCollection', schema: catches.crabCollectionSchema },
      saved: { type: 'Saved', schema: catches.savedSchema },
    },
  },
  {
    path: 'src/client/shapes/service.generated.ts',
    contract: 'contract/schemas/service.ts',
    schemas: {
      status: { type: 'Status', schema: service.statusSchema },
      userKey: { type: 'UserKey', schema: service.keySchema },
    },
  },
  {
    path: 'src/admin/shapes.generated.ts',
    contract: 'contract/schemas/admin.ts',
    schemas: {
      session: { type: 'Session', schema: admin.sessionSchema },
      administrator: { type: 'Administrator', schema: admin.adminSchema },
      administratorList: { type: 'AdministratorList', schema: admin.adminListSchema },
      user: { type: 'User', schema: admin.userSchema },
      userList: { type: 'UserList', schema: admin.userListSchema },
      createdUser: { type: 'CreatedUser', schema: admin.createdUserSchema },
      resetResult: { type: 'ResetAnswer', schema: admin.resetResultSchema },
      stats: { type: 'Stats', schema: admin.statsSchema },
      leaderboard: { type: 'Leaderboard', schema: admin.leaderboardSchema },
      auditPage: { type: 'AuditPage', schema: admin.auditPageSchema },
    },
  },
]

/** The text of a file of shapes. */
export function render({ path, contract, schemas }: ShapeFile): string {
  const up = '../'.repeat(path.split('/').length - 2)
  const shapes = path.startsWith('src/client/shapes') ? './' : '../client/shapes/'
  const types = Object.values(schemas).map(({ type }) => type)
  return [
    `// Generated from ${contract} by \`npm run generate\`; a test fails while it is not what that file says.`,
    `import type { ${types.sort().join(', ')} } from '${up}${contract}'`,
    `import { schemaOf } from '${shapes}shape.ts'`,
    ...Object.entries(schemas).map(
      ([name, { type, schema }]) =>
        `\n/** Shape of {@link ${type}}, for checking responses. */\nexport const ${name}Shape = /* @__PURE__ */ schemaOf<${type}>(${JSON.stringify(shapeOf(schema))})`,
    ),
    '',
  ].join('\n')
}
