import {
  type AuditPage,
  type CreatedUser,
  createdUserSchema,
  MEDIA_TYPES,
  type Session,
  type UserList,
} from '@fish-crab/sdk/contract'
import { expect } from 'vitest'
import { ADDRESS_HEADER, type TestService } from './test-service.ts'

/** Sends credentials to the login endpoint. */
export function login(service: TestService, username: string, password: string, address?: string): Promise<Response> {
  return service.request('/admin/login', {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.json, ...(address ? { [ADDRESS_HEADER]: address } : {}) },
    body: JSON.stringify({ username, password }),
  })
}

/** Sends a request as one administrator: a method, a path and a JSON body. */
export type AsAdmin = (method: string, path: string, body?: unknown) => Promise<Response>

/** Sends requests with an open session. */
export function withSession(service: TestService, token: string): AsAdmin {
  return (method, path, body) =>
    service.request(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': MEDIA_TYPES.json }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

/** Logs in as the seeded superadmin. */
export async function asRoot(service: TestService): Promise<AsAdmin> {
  const response = await login(service, service.root.username, service.root.password)
  expect(response.status).toBe(200)
  return withSession(service, ((await response.json()) as Session).token)
}

/** Creates a user, and returns the user with all secrets. */
export async function create(admin: AsAdmin, name: string): Promise<CreatedUser> {
  const response = await admin('POST', '/admin/users', { name })
  expect(response.status).toBe(201)
  return createdUserSchema.parse(await response.json())
}

/** Reads one page of users. */
export async function list(admin: AsAdmin, query = ''): Promise<UserList> {
  const response = await admin('GET', `/admin/users${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as UserList
}

/** The newest entries of the audit log, in words. */
export async function actions(admin: AsAdmin): Promise<readonly string[]> {
  const { entries } = (await (await admin('GET', '/admin/audit')).json()) as AuditPage
  return entries.map(({ actor, action, subject }) => [actor, action, subject].join(' '))
}

/** The names on a page of users. */
export const names = ({ users }: UserList) => users.map(({ name }) => name)
