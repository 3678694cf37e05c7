import type { AdminRole } from '@fish-crab/sdk/contract'
import type { Answer } from './answer.ts'
import { expectJson, expectText } from './expect-answer.ts'
import { createdUser, login, type OwnAdmin, type OwnUser, sendAs } from './own-accounts.ts'
import type { Send } from './transport.ts'

/** Every user and administrator that a run makes, and their removal. */
export interface Accounts {
  /** A name that nobody has, with the prefix of this run. */
  newName(): string
  /** The beginning of every name of this run. */
  readonly prefix: string
  /** Asks for a user and answers what came back. What was made is removed at the end. */
  createUser(token: string, body: unknown): Promise<Answer>
  /** Makes a user. */
  newUser(token: string): Promise<OwnUser>
  /** Asks for an administrator and answers what came back. */
  createAdmin(token: string, body: unknown): Promise<Answer>
  /** Makes an administrator and logs in. */
  newAdmin(token: string, role: AdminRole): Promise<OwnAdmin>
  /** The names of all that was made. */
  all(): readonly string[]
  /** Removes all that was made, as the given administrator. Answers the names of what could not be removed. */
  removeAll(token: string): Promise<readonly string[]>
}

/** What {@link createAccounts} builds on. */
export interface AccountsContext {
  /** Not ended by an abort of the run: what is being made must be known, to be removed. */
  readonly send: Send
  readonly keep: (...secrets: readonly string[]) => void
  readonly random: () => string
}

const GONE = [204, 404]

/** Makes the accounts of one run. */
export function createAccounts({ send, keep, random }: AccountsContext): Accounts {
  // In both letter cases, to see that names are shown as created.
  const prefix = `Conformance-${random()}-`
  const users = new Set<string>()
  const admins = new Set<string>()
  const underWay = new Set<Promise<unknown>>()
  let count = 0
  let ownToken: string | undefined

  const newName = () => `${prefix}${++count}`

  /** A name counts as made unless the service said no: an answer may be lost. */
  async function make(names: Set<string>, name: unknown, request: () => Promise<Answer>): Promise<Answer> {
    const making = request().then(
      (answer) => {
        if (answer.status < 400 && typeof name === 'string' && name !== '') names.add(name)
        return answer
      },
      (error: unknown) => {
        if (typeof name === 'string' && name !== '') names.add(name)
        throw error
      },
    )
    underWay.add(making)
    return making.finally(() => underWay.delete(making))
  }

  const createUser: Accounts['createUser'] = async (token, body) => {
    const { name } = body as { readonly name?: unknown }
    const answer = await make(users, name, () => sendAs(send, token, 'createUser', 'POST', { body }))
    keepSecretsOf(answer)
    return answer
  }
  const createAdmin: Accounts['createAdmin'] = (token, body) => {
    const { username } = body as { readonly username?: unknown }
    return make(admins, username, () => sendAs(send, token, 'createAdmin', 'POST', { body }))
  }

  function keepSecretsOf({ text }: Answer): void {
    for (const [, secret] of text.matchAll(/"(?:password|fernetKey|apiKey)":"([^"]+)"/g)) if (secret) keep(secret)
  }

  async function isGone(request: Promise<Answer>): Promise<boolean> {
    return request.then(
      ({ status }) => GONE.includes(status),
      () => false,
    )
  }

  return {
    prefix,
    newName,
    createUser,
    createAdmin,
    async newUser(token) {
      return createdUser(await createUser(token, { name: newName() }))
    },
    async newAdmin(token, role) {
      const username = newName()
      const password = `${random()}${random()}`
      keep(password)
      expectJson(await createAdmin(token, { username, password, role }), 201)
      const answer = await login(send, { username, password })
      const session = expectText(expectJson(answer).token, '"token"', answer)
      keep(session)
      if (role === 'superadmin') ownToken = session
      return { username, password, token: session }
    },
    all: () => [...users, ...admins],
    async removeAll(token) {
      await Promise.allSettled(underWay)
      const left: string[] = []
      for (const name of users) {
        // By the run's own administrator first: the given one has a limit of requests too, and others may need it.
        const remove = (by: string) => isGone(sendAs(send, by, 'deleteUser', 'DELETE', { params: { name } }))
        if (!(ownToken && (await remove(ownToken))) && !(await remove(token))) left.push(name)
      }
      for (const username of admins) {
        if (!(await isGone(sendAs(send, token, 'deleteAdmin', 'DELETE', { params: { username } })))) left.push(username)
      }
      return left
    },
  }
}
