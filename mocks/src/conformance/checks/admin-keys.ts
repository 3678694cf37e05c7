import { expectJson } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const rows: readonly CheckRow[] = [
  [
    'keys-fit-both-alphabets',
    'Fernet keys are 32 bytes in base64 that holds none of "+ / - _".',
    async (world) => {
      const keys = [await world.user(), await world.newUser(), await world.newUser()].map(({ fernetKey }) => fernetKey)
      for (const name of ['a', 'b']) {
        const user = await world.newUser()
        const answer = await world.asSuperadmin('resetUser', { params: { name: user.name }, body: { type: 'fernet' } })
        keys.push(user.fernetKey, String(expectJson(answer).fernetKey))
        world.keep(String(expectJson(answer).fernetKey), name)
      }
      for (const key of keys) {
        world.keep(key)
        expectThat(/^[A-Za-z0-9]{43}=$/.test(key), '43 letters or digits and "="', 'another form of key')
      }
      expectSame(new Set(keys).size, keys.length, 'the number of different keys')
    },
  ],
]

/** The form of the keys that administrators hand out. */
export const adminKeysChecks = checksOf('admin', rows)
