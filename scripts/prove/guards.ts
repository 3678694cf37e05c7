/** A guard of the service, and how to break it: `from` becomes `to` in `file`. One of `tests` has to fail then. */
export interface Guard {
  readonly guard: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** Names of test files, or parts of them. An experiment of `npm run prove` is `prove:` with its name. */
  readonly tests: readonly string[]
}

const RATE_LIMIT = 'server/src/app/http/rate-limit.ts'
const ADDRESS = 'server/src/app/http/client-address.ts'
const ADMINS = 'server/src/app/auth/admins.ts'
const CREDENTIALS = 'server/src/app/auth/credentials.ts'
const LOGINS = 'server/src/app/auth/login-limiter.ts'
const JWT = 'server/src/app/auth/jwt.ts'
const WRITE = 'server/src/app/routes/write.ts'
const SECRETS = 'server/src/app/users/user-secrets.ts'
const WINDOWS = 'server/src/storage/core/windows.ts'
const COMMANDS = 'server/src/storage/file/commands.ts'
const SCRIPTS = 'server/src/storage/redis/scripts.ts'
const LIMITER = 'sdk/src/client/rate-limiter/policy.ts'
const FERNET = 'sdk/src/fernet/token.ts'

const LOGIN_TESTS = ['server/test/app/user-key', 'server/test/app/admin', 'server/test/app/login-crowd']
const FILE_TESTS = ['server/test/storage/file.test', 'server/test/storage/file-']
const REDIS_TESTS = ['server/test/storage/redis.integration']

export const GUARDS: readonly Guard[] = [
  // The rate limit.
  {
    guard: 'the limit is exact',
    file: RATE_LIMIT,
    from: 'if (count > requests) throw',
    to: 'if (count > requests + 1) throw',
    tests: ['server/test/app/rate-limit'],
  },
  {
    guard: 'only a known API key lifts the limit',
    file: RATE_LIMIT,
    from: 'return owner !== undefined',
    to: 'return true',
    tests: ['server/test/app/rate-limit'],
  },
  {
    guard: 'the master key is compared',
    file: RATE_LIMIT,
    from: 'if (masterHash && hash === (await masterHash)) return true',
    to: 'if (masterHash) return true',
    tests: ['server/test/app/rate-limit'],
  },
  {
    guard: 'only configured origins are exempt',
    file: RATE_LIMIT,
    from: 'origin !== null && allowedOrigins.includes(origin)',
    to: 'origin !== null',
    tests: ['server/test/app/rate-limit', 'server/test/app/cors'],
  },
  {
    guard: 'Retry-After is never 0',
    file: RATE_LIMIT,
    from: 'Math.max(1, Math.ceil((resetAt - now) / 1000))',
    to: 'Math.floor((resetAt - now) / 1000)',
    tests: ['server/test/app/rate-limit', 'server/test/storage/windows'],
  },
  {
    guard: 'a clock that is set back does not keep a window open',
    file: WINDOWS,
    from: 'now < resetAt && resetAt - now <= 2 * durationMs',
    to: 'now < resetAt',
    tests: ['server/test/storage/windows', 'server/test/storage/memory'],
  },
  {
    guard: 'logins have windows of their own',
    file: WINDOWS,
    from: "key.slice(0, key.indexOf(':') + 1)",
    to: "''",
    tests: ['server/test/storage/windows', 'server/test/storage/memory', 'server/test/app/rate-limit'],
  },
  {
    guard: 'a full table of windows refuses new clients',
    file: WINDOWS,
    from: 'if (isFull(now)) return { count: limit + 1, resetAt: firstEnd }',
    to: '',
    tests: ['server/test/storage/windows', 'server/test/storage/memory'],
  },
  {
    guard: 'an item is created once (Redis)',
    file: SCRIPTS,
    from: "numberOfKeys: 2,\n  lua: `\nif ARGV[3] == 'absent' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end",
    to: 'numberOfKeys: 2,\n  lua: `',
    tests: REDIS_TESTS,
  },

  // Who a client is.
  {
    guard: 'without a trusted proxy, X-Forwarded-For is ignored',
    file: ADDRESS,
    from: 'if (hops < 1 || !forwardedFor) return',
    to: 'if (!forwardedFor) return',
    tests: ['server/test/app/client-identification', 'server/test/node/'],
  },
  {
    guard: 'the address is the one that the trusted proxy saw',
    file: ADDRESS,
    from: 'entries.at(-hops)',
    to: 'entries.at(0)',
    tests: ['server/test/app/client-identification'],
  },
  {
    guard: 'an IPv6 client is its /64',
    file: 'server/src/app/http/client-address.ts',
    from: 'return networkOf(address, 64)',
    to: 'return networkOf(address, 48)',
    tests: ['server/test/app/client-identification'],
  },
  {
    guard: 'an IPv4-mapped address is the IPv4 one',
    file: ADDRESS,
    from: 'parsed[5] === 0xffff',
    to: 'parsed[5] === 0xfffe',
    tests: ['server/test/app/client-identification'],
  },
  {
    guard: 'a request without a known address is not handled',
    file: 'server/src/app/http/pipeline.ts',
    from: "if (context.address === '') return errorResponse(new HttpError('internal_error'), requestId)",
    to: '',
    tests: ['server/test/app/hosts', 'server/test/app/client-identification'],
  },

  // Browsers.
  {
    guard: 'no origin reads keys',
    file: 'server/src/app/http/cors.ts',
    from: ' && path !== ROUTES.getUserKey.path',
    to: '',
    tests: ['server/test/app/cors'],
  },
  {
    guard: 'no origin uses /admin',
    file: 'server/src/app/http/cors.ts',
    from: "if (access !== 'public') return isPreflight",
    to: '',
    tests: ['server/test/app/cors'],
  },
  {
    guard: 'a form of another page moves nothing',
    file: 'server/src/app/http/request.ts',
    from: "if (!request.headers.get('content-type')) throw new HttpError('unsupported_media_type')",
    to: '',
    tests: ['server/test/app/writes', 'server/test/app/reads', 'server/test/app/'],
  },
  {
    guard: 'overlays allow no scripts but their own',
    file: 'server/src/app/routes/pages.ts',
    from: "  'require-trusted-types-for': \"'script'\",\n  'trusted-types': \"'none'\",\n  'frame-ancestors': '*',",
    to: "  'frame-ancestors': '*',",
    tests: ['server/test/app/pages'],
  },

  // Sessions and logins.
  {
    guard: 'one superadmin is left',
    file: ADMINS,
    from: "if (!others.some(({ role }) => role === 'superadmin')) throw new HttpError('last_superadmin')",
    to: '',
    tests: ['server/test/app/admin'],
  },
  {
    guard: 'an administrator who was removed creates nobody',
    file: ADMINS,
    from: 'creatorId === undefined || admins.some(({ id }) => id === creatorId)',
    to: 'true',
    tests: ['server/test/app/admin'],
  },
  {
    guard: 'a new password ends all sessions',
    file: ADMINS,
    from: 'const renewed = { id: uuidv7(clock(), random), passwordHash',
    to: 'const renewed = { passwordHash',
    tests: ['cli/test/admin-reset-password', 'server/test/node/reset-admin-password'],
  },
  {
    guard: 'a session belongs to one administrator, not to a name',
    file: 'server/src/app/auth/sessions.ts',
    from: 'admin && admin.id === claims.id && ',
    to: 'admin && ',
    tests: ['server/test/app/admin'],
  },
  {
    guard: 'a session that was ended is over',
    file: 'server/src/app/auth/sessions.ts',
    from: '!admin.endedSessions?.some(({ id }) => id === claims.sessionId)',
    to: 'true',
    tests: ['server/test/app/admin'],
  },
  {
    guard: 'a session expires',
    file: JWT,
    from: 'currentDate: now,',
    to: 'currentDate: new Date(0),',
    tests: ['server/test/app/admin'],
  },
  {
    guard: 'a session is for this service',
    file: JWT,
    from: '    audience: AUDIENCE,\n    requiredClaims',
    to: '    requiredClaims',
    tests: ['server/test/app/admin'],
  },
  {
    guard: 'a session is not from the future',
    file: JWT,
    from: '> MAX_CLOCK_SKEW_SECONDS',
    to: '> Number.POSITIVE_INFINITY',
    tests: ['server/test/app/admin'],
  },
  {
    guard: 'failed logins are refused before a password is hashed',
    file: LOGINS,
    from: 'if (failures.count >= window.limit) throw rateLimited(failures, clock())',
    to: '',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'many logins at once do not pass the limit',
    file: LOGINS,
    from: 'if (attempts.count > window.limit) throw rateLimited(attempts, clock())',
    to: '',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'a login that succeeds does not count',
    file: LOGINS,
    from: 'if (!isFailure) await uncount(counted)',
    to: '',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'invalid names share one window',
    file: LOGINS,
    from: "const key = isUserName(name) ? userNameKey(name) : ''",
    to: 'const key = userNameKey(name)',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'a password is hashed for unknown names, too',
    file: CREDENTIALS,
    from: '(await passwords.verify(password, account?.passwordHash ?? decoy)) && account',
    to: 'account && (await passwords.verify(password, account.passwordHash ?? decoy))',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'another client does not learn of a right guess',
    file: CREDENTIALS,
    from: 'const known = await findVerified(accounts, tried, client)\n    if (known) return known.who\n    await loginLimiter',
    to: 'const known = await findVerified(accounts, tried)\n    if (known) return known.who\n    await loginLimiter',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'a known password is forgotten after ten minutes',
    file: CREDENTIALS,
    from: 'left > 0 && left <= VERIFIED_MS',
    to: 'Number.isFinite(left)',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'a known password is that of one hash',
    file: CREDENTIALS,
    from: 'JSON.stringify([key, client, hash, password])',
    to: 'JSON.stringify([key, client, password])',
    tests: [...LOGIN_TESTS, 'server/test/app/reset-and-delete'],
  },
  {
    guard: 'failed logins are in the audit log',
    file: CREDENTIALS,
    from: 'if (!who) await audit.recordFailedLogin(',
    to: 'if (false as boolean) await audit.recordFailedLogin(',
    tests: LOGIN_TESTS,
  },
  {
    guard: 'failed logins do not fill the audit log',
    file: 'server/src/app/auth/audit.ts',
    from: 'return count > limit ? undefined : count',
    to: 'return count',
    tests: LOGIN_TESTS,
  },

  // Requests.
  {
    guard: 'a backslash is refused',
    file: 'server/src/app/http/path.ts',
    from: 'if (/[\\\\#]/.test(path)) return',
    to: 'if (/[#]/.test(path)) return',
    tests: ['server/test/node/', 'server/test/app/hostile'],
  },
  {
    guard: 'dot segments are refused',
    file: 'server/src/app/http/path.ts',
    from: 'return DOT_SEGMENT.test(path) ?',
    to: 'return DOT_SEGMENT.test(path) && path.length > 1e6 ?',
    tests: ['server/test/node/', 'server/test/app/hostile'],
  },
  {
    guard: 'a body has a limit, whatever its length says',
    file: 'server/src/app/http/request.ts',
    from: 'readChunks(request.body, limit,',
    to: 'readChunks(request.body, Number.POSITIVE_INFINITY,',
    tests: ['server/test/app/hostile', 'server/test/app/writes', 'server/test/app/payloads', 'server/test/app/'],
  },
  {
    guard: 'compressed bodies are refused',
    file: 'server/src/app/http/request.ts',
    from: "if (request.headers.get('content-encoding')) {",
    to: "if (request.headers.get('content-encoding') === 'x') {",
    tests: ['server/test/app/hostile', 'server/test/app/writes', 'server/test/app/payloads', 'server/test/app/'],
  },
  {
    guard: 'cursors are authenticated',
    file: 'server/src/app/http/cursors.ts',
    from: 'return difference === 0',
    to: 'return difference >= 0 || true',
    tests: ['server/test/app/cursors'],
  },
  {
    guard: 'a cursor is for one listing',
    file: 'server/src/app/http/cursors.ts',
    from: 'JSON.stringify([scope, position])',
    to: 'JSON.stringify([position])',
    tests: ['server/test/app/cursors'],
  },
  {
    guard: 'an ETag is that of the content',
    file: 'server/src/app/http/response.ts',
    from: '.some((entry) => opaqueTagOf(entry) === opaqueTag)',
    to: ".some((entry) => opaqueTagOf(entry) !== '' || opaqueTag === '')",
    tests: ['server/test/app/caching', 'server/test/app/responses'],
  },
  {
    guard: 'what has no caching rule is not cached',
    file: 'server/src/app/http/response.ts',
    from: "all['cache-control'] ??= 'no-store'",
    to: '',
    tests: ['server/test/app/caching', 'server/test/app/responses', 'server/test/app/secrets'],
  },
  {
    guard: 'the log has no query',
    file: 'server/src/app/http/pipeline.ts',
    from: "path: route === 'unmatched' ? undefined : (pattern ?? ROUTES[route].path),",
    to: 'path: request.url,',
    tests: ['server/test/app/secrets', 'server/test/app/responses', 'server/test/app/'],
  },

  // Writes.
  {
    guard: 'a payload for another player is refused',
    file: WRITE,
    from: 'userNameKey(payload.user) !== userNameKey(user.name)',
    to: 'payload.user.length > 1e6',
    tests: ['server/test/app/payloads', 'server/test/app/writes'],
  },
  {
    guard: 'padding does not make another token',
    file: WRITE,
    from: 'sha256Hex(withoutPadding(text))',
    to: 'sha256Hex(text)',
    tests: ['server/test/app/replay'],
  },
  {
    guard: 'an old token is refused',
    file: WRITE,
    from: 'return tokenTtlSeconds !== undefined && !isWithinTtl(',
    to: 'return tokenTtlSeconds === -1 && !isWithinTtl(',
    tests: ['server/test/app/'],
  },
  {
    guard: 'a token that was stored in time is acknowledged later',
    file: WRITE,
    from: "if (isExpired(token)) return replayedOrError('token_expired', user, dedupeKey, count)",
    to: "if (isExpired(token)) throw new HttpError('token_expired')",
    tests: ['server/test/app/replay', 'server/test/app/'],
  },
  {
    guard: 'a player who is being deleted gets no catches',
    file: WRITE,
    from: "if (result.outcome === 'owner_removed') throw new HttpError('user_not_found')",
    to: '',
    tests: ['server/test/app/'],
  },
  {
    guard: 'a write is a token, not a form',
    file: WRITE,
    from: 'requireMediaType(context.request, MEDIA_TYPES.token)',
    to: '',
    tests: ['server/test/app/writes', 'server/test/app/payloads', 'server/test/app/'],
  },

  // Secrets and stores.
  {
    guard: 'an encrypted key belongs to one player',
    file: 'server/src/app/users/encryption.ts',
    from: 'additionalData: encoder.encode(owner)',
    to: 'additionalData: encoder.encode(owner.slice(0, 0))',
    tests: ['server/test/app/encryption'],
  },
  {
    guard: 'a key that was reset is not used',
    file: SECRETS,
    from: `const cacheKey = \`\${id} \${encrypted}\``,
    to: 'const cacheKey = id',
    tests: ['server/test/app/'],
  },
  {
    guard: 'nothing is created for a player who is being deleted',
    file: SECRETS,
    from: 'if (!(await replaceSecret(storage, secretKey(id, secret), () => stored))) await failMissing()',
    to: 'await storage.items.setItem(secretKey(id, secret), stored)',
    tests: ['server/test/app/reset-and-delete'],
  },
  {
    guard: 'an API key that was replaced is not used',
    file: 'server/src/app/users/users.ts',
    from: 'if (user && (await store.hasApiKeyHash(user, hash))) return user',
    to: 'if (user) return user',
    tests: ['server/test/app/rate-limit'],
  },
  {
    guard: 'another store is noticed',
    file: 'server/src/app/store/store-id.ts',
    from: 'const error = value === id ? undefined :',
    to: 'const error = value !== null || value === id ? undefined :',
    tests: ['server/test/app/store-id'],
  },
  {
    guard: 'a cached response is of this version',
    file: 'server/src/app/catches/response-cache.ts',
    from: 'if (entry?.version !== version) return undefined',
    to: 'if (!entry) return undefined',
    tests: ['server/test/app/cached-responses', 'server/test/app/caching'],
  },
  {
    guard: 'the cache is bounded',
    file: 'server/src/app/catches/response-cache.ts',
    from: 'while (total > capacityBytes) drop',
    to: 'while (total > capacityBytes * 1000) drop',
    tests: ['server/test/app/cached-responses'],
  },

  {
    guard: 'a summary that many ask for is made once',
    file: 'server/src/app/catches/read-collection.ts',
    from: "if (form === 'species' && !isTurn) return",
    to: "if (form === 'full' && !isTurn) return",
    tests: ['server/test/app/summary'],
  },
  {
    guard: 'large reads have four turns at once, one of each client',
    file: 'server/src/app/http/bounded-queue.ts',
    from: 'concurrency: 4, perClient: 1',
    to: 'concurrency: 400, perClient: 100',
    tests: ['server/test/app/large-reads'],
  },

  // The file.
  {
    guard: 'a write is flushed before it is acknowledged',
    file: 'server/src/storage/file/worker.ts',
    from: 'PRAGMA synchronous = FULL',
    to: 'PRAGMA synchronous = NORMAL',
    tests: ['server/test/storage/file-durability', 'server/test/storage/file.test'],
  },
  {
    guard: 'a file system that cannot keep the promise causes a warning',
    file: 'server/src/storage/file/writer.ts',
    from: "journalMode === 'wal' && synchronous >= FULL",
    to: "journalMode === 'wal'",
    tests: ['server/test/storage/file-durability'],
  },
  {
    guard: 'writes do not wait without a bound',
    file: 'server/src/storage/file/writer.ts',
    from: 'if (this.#pendingBytes + bytes > MAX_PENDING_BYTES) {',
    to: 'if (this.#pendingBytes + bytes > MAX_PENDING_BYTES * 1000) {',
    tests: ['server/test/storage/file-stalled-disk'],
  },
  {
    guard: 'a token is stored once (file)',
    file: COMMANDS,
    from: 'if (dedupeKey !== null && Number(',
    to: 'if (dedupeKey !== null && owner === dedupeKey && Number(',
    tests: FILE_TESTS,
  },
  {
    guard: 'a deleted owner gets no records (file)',
    file: COMMANDS,
    from: "if (!known.has(keyOf(place)) && findRemoved.get(owner)) return { outcome: 'owner_removed' }",
    to: '',
    tests: FILE_TESTS,
  },
  {
    guard: 'an append makes a new version (file)',
    file: COMMANDS,
    from: 'SET count = count + given.entries, version = lower(hex(randomblob(12)))',
    to: 'SET count = count + given.entries',
    tests: FILE_TESTS,
  },
  {
    guard: 'an item is replaced only if it is as expected (file)',
    file: COMMANDS,
    from: "'UPDATE items SET value = ? WHERE key = ? AND value = ?'",
    to: "'UPDATE items SET value = ? WHERE key = ? AND ? IS NOT NULL'",
    tests: FILE_TESTS,
  },
  {
    guard: 'a failed transaction leaves no counts',
    file: COMMANDS,
    from: '      pending.clear()\n      known.clear()',
    to: '      known.clear()',
    tests: FILE_TESTS,
  },
  {
    guard: 'removed records leave their species',
    file: COMMANDS,
    from: 'invalidateSpecies.run(collection)\n',
    to: '',
    tests: FILE_TESTS,
  },

  {
    guard: 'the species of a file are those of one state',
    file: 'server/src/storage/file/file.ts',
    from: 'if (current !== version) return read(() => speciesAtOnce(reader, collection))',
    to: '',
    tests: ['server/test/storage/file-species'],
  },

  // Redis.
  {
    guard: 'a token is stored once (Redis)',
    file: SCRIPTS,
    from: "if first then return {'replayed', first} end",
    to: '',
    tests: REDIS_TESTS,
  },
  {
    guard: 'a deleted owner gets no records (Redis)',
    file: SCRIPTS,
    from: "if redis.call('HEXISTS', KEYS[1], 'removed') == 1 then return {'owner_removed'} end",
    to: '',
    tests: REDIS_TESTS,
  },
  {
    guard: 'an item is replaced only if it is as expected (Redis)',
    file: SCRIPTS,
    from: "if ARGV[3] == 'equal' and redis.call('GET', KEYS[1]) ~= ARGV[4] then return 0 end",
    to: '',
    tests: REDIS_TESTS,
  },
  {
    guard: 'a removal makes a new version (Redis)',
    file: SCRIPTS,
    from: "redis.call('HDEL', KEYS[1], 'species:' .. collection)\nredis.call('HSET', KEYS[1], 'version:' .. collection, version)",
    to: "redis.call('HDEL', KEYS[1], 'species:' .. collection)",
    tests: REDIS_TESTS,
  },
  {
    guard: 'replicas have a write before it is acknowledged',
    file: 'server/src/storage/redis/replicated-writes.ts',
    from: 'Number(confirmedBy) >= replicas ? null',
    to: 'Number(confirmedBy) >= 0 ? null',
    tests: ['server/test/storage/redis-replicas'],
  },

  // Fernet.
  {
    guard: 'the version of a token is checked',
    file: FERNET,
    from: ' || raw[0] !== VERSION) return',
    to: ') return',
    tests: ['sdk/test/fernet'],
  },
  {
    guard: 'a token has one spelling',
    file: FERNET,
    from: 'return leftover === 0 ? bytes : undefined',
    to: 'return bytes',
    tests: ['sdk/test/fernet'],
  },
  {
    guard: 'the signature is checked',
    file: 'sdk/src/fernet/key.node.ts',
    from: 'verify: (data, mac) => timingSafeEqual(hmac(data), mac),',
    to: 'verify: (data, mac) => hmac(data).length === mac.length,',
    tests: ['sdk/test/fernet'],
  },
  {
    guard: 'the signature is compared in constant time',
    file: 'sdk/src/fernet/key.node.ts',
    from: 'verify: (data, mac) => timingSafeEqual(hmac(data), mac),',
    to: 'verify: (data, mac) => hmac(data).equals(mac),',
    tests: ['sdk/test/fernet'],
  },
  {
    guard: 'a token is not from the future',
    file: 'sdk/src/fernet/fernet.ts',
    from: ' && seconds + MAX_CLOCK_SKEW_SECONDS >= timestamp',
    to: '',
    tests: ['sdk/test/fernet'],
  },
  {
    guard: 'a forged token is not told from an old one',
    file: 'sdk/src/fernet/fernet.ts',
    from: 'if (key && !fresh) throw',
    to: 'if (!fresh) throw',
    tests: ['sdk/test/fernet'],
  },

  // The client.
  {
    guard: 'final statuses are not retried',
    file: 'sdk/src/client/transport/retry-policy.ts',
    from: 'if (!TRANSIENT_STATUS.includes(status) || retriesLeft <= 0)',
    to: 'if (retriesLeft <= 0)',
    tests: ['sdk/test/client/'],
  },
  {
    guard: 'Retry-After is honoured',
    file: 'sdk/src/client/transport/retry-policy.ts',
    from: 'Math.max(retryAfterMs, ',
    to: 'Math.max(retryAfterMs * 0, ',
    tests: ['sdk/test/client/'],
  },
  {
    guard: 'a refusal pauses every call',
    file: LIMITER,
    from: 'if (now < pausedUntil) return pausedUntil - now\n',
    to: '',
    tests: ['sdk/test/client/rate-limit'],
  },
  {
    guard: 'no request is sent that the limit would refuse',
    file: LIMITER,
    from: 'if (left > inFlight) return',
    to: 'if (left > inFlight - 1) return',
    tests: ['sdk/test/client/rate-limit'],
  },
  {
    guard: 'other users of the limit are left room',
    file: LIMITER,
    from: "inFlight < maxInFlight(window) ? 'none'",
    to: "inFlight < window.remaining ? 'none'",
    tests: ['sdk/test/client/rate-limit'],
  },
  {
    guard: '"retry now" does not make a loop',
    file: LIMITER,
    from: 'Math.max(retryMs ?? window?.waitMs ?? backoff, MIN_PAUSE_MS)',
    to: '(retryMs ?? window?.waitMs ?? backoff)',
    tests: ['sdk/test/client/rate-limit'],
  },
]
