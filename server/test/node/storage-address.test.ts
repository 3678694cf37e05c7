import { SETTINGS } from '@fish-crab/server'
import { expect, test } from 'vitest'

const parseStorageAddress = SETTINGS.storage.parse

test.each([
  ['redis://cache.example'],
  ['redis://127.0.0.1:6380/2'],
  ['rediss://user:p%40ss@cache.example:6380'],
  ['redis://:secret@[::1]:6379'],
])('the parser accepts %s as the address of a single Redis server', (url) => {
  expect(parseStorageAddress(url)).toEqual({ driver: 'redis', url })
})

test('the parser accepts the nodes of a cluster, with and without a login and TLS', () => {
  expect(parseStorageAddress('redis-cluster://10.0.0.1:7000,[::1]:7001,node-3')).toEqual({
    driver: 'redis-cluster',
    nodes: [
      { host: '10.0.0.1', port: 7000 },
      { host: '::1', port: 7001 },
      { host: 'node-3', port: 6379 },
    ],
  })
  expect(parseStorageAddress('rediss-cluster://app:p%2Css%40@a:1,b:2')).toEqual({
    driver: 'redis-cluster',
    nodes: [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ],
    username: 'app',
    password: 'p,ss@',
    tls: true,
  })
})

test.each([
  'redis:hunter2',
  'redis://',
  'redis://:hunter2@',
  'redis://:hunter2@host:0',
  'redis://:hunter2@host:66000',
  'redis://:hunter2@host:port',
  'redis://:hunter2@host/name',
  'redis://:hunter2@host/1?x=1',
  'redis://:hunter2@host#x',
  'redis://hunter2@host',
  'redis://:%hunter2@host',
  'redis://one,two',
  'redis-cluster://:hunter2@',
  'redis-cluster://:hunter2@a:1,,b:2',
  'redis-cluster://:hunter2@a:1/0',
  'redis-cluster://a:1:hunter2',
  'mysql://:hunter2@host',
])('the parser refuses %s, and does not repeat the address in the error', (text) => {
  let message = ''
  try {
    parseStorageAddress(text)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).toMatch(/^must be /)
  expect(message).not.toMatch(/hunter2/)
})
