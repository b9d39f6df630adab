import fc from 'fast-check'
import { getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { ChainLog, LogFilter } from '../chain.ts'
import { checkLogs } from './read-range.ts'
import { readLogList } from './read-response.ts'
import { EndpointUnavailable } from './rpc.ts'

const bytes = (length: number) =>
  fc
    .tuple(fc.constantFrom('0', '1', 'a', 'f', '7e'), fc.constantFrom('lower', 'upper', 'mixed'))
    .map(([digit, spelling]) => {
      const digits = digit.repeat(length * 2).slice(0, length * 2)
      if (spelling === 'mixed') return `0x${digits.replace(/[a-f]$/, (last) => last.toUpperCase())}`
      return `0x${spelling === 'upper' ? digits.toUpperCase() : digits}`
    })
const small = fc.nat(40).map((n) => `0x${n.toString(16)}`)
const rawLog = fc.record(
  {
    address: bytes(20),
    topics: fc.array(bytes(32), { maxLength: 4 }),
    data: fc.oneof(bytes(32), bytes(64), bytes(0), bytes(1)),
    blockNumber: small,
    blockHash: bytes(32),
    transactionHash: bytes(32),
    transactionIndex: small,
    logIndex: fc.oneof(small, fc.constantFrom('0x1fffffffffffff', '0xA')),
    removed: fc.constant(false),
  },
  { requiredKeys: ['address', 'topics', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'logIndex'] },
)

const long = (length: number) => `0x${'a'.repeat(length)}`
const broken = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    ...['', '0x', '0', '0xg', '0x0', '0x00', ' 0x1', '0x1 ', '0x1\n', '0X1', '1', 'latest', '-0x1', '0x-1'],
    ...[long(63), long(64), long(65), `${long(64)}\n`, long(64).toUpperCase(), `0x${'ａ'.repeat(64)}`],
    ...[
      long(39),
      long(40),
      long(41),
      `0x${'g'.repeat(40)}`,
      `0x${'é'.repeat(32)}`,
      long(61),
      '0x20000000000000',
    ],
    ...[null, true, 0, 1.5, -1],
  ),
)
const members = ['address', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'logIndex'] as const
type Raw = typeof rawLog extends fc.Arbitrary<infer T> ? T : never
type Change = (log: Raw) => unknown
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constantFrom(...members), broken).map(
    ([member, value]): Change =>
      (log) => ({ ...log, [member]: value }),
  ),
  fc.constantFrom(...members).map(
    (gone): Change =>
      (log) =>
        Object.fromEntries(Object.entries(log).filter(([member]) => member !== gone)),
  ),
  fc.tuple(fc.nat(4), broken).map(
    ([at, topic]): Change =>
      (log) => ({ ...log, topics: [...log.topics.slice(0, at), topic, ...log.topics.slice(at + 1)] }),
  ),
  broken.map(
    (topics): Change =>
      (log) => ({ ...log, topics }),
  ),
  fc.constant((log: Raw) => ({ ...log, topics: Array(5).fill(long(64)) })),
  fc.constant((log: Raw) => ({ ...log, removed: true })),
  broken.map(
    (value): Change =>
      () =>
        value,
  ),
)

/** Reference implementation: checks each member of each log alone. */
function readPlainly(value: unknown): ChainLog[] {
  const text = (form: RegExp, given: unknown): string => {
    if (typeof given !== 'string' || form.exec(given)?.[0] !== given) throw new Error('has not the form')
    return given
  }
  const quantity = (given: unknown) => BigInt(text(/0x[0-9a-fA-F]{1,64}/, given))
  const hash = (given: unknown) =>
    text(/0x[0-9a-f]{64}/, String(text(/0x[0-9a-fA-F]{64}/, given)).toLowerCase())
  const index = (given: unknown) => {
    const count = quantity(given)
    if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('is no count')
    return Number(count)
  }
  if (!Array.isArray(value)) throw new Error('is no list')
  return value.map((log) => {
    if (typeof log !== 'object' || log === null || log.removed === true) throw new Error('is no log')
    if (!Array.isArray(log.topics) || log.topics.length > 4) throw new Error('has no topics')
    return {
      address: getAddress(text(/0x[0-9a-fA-F]{40}/, log.address).toLowerCase()) as ChainLog['address'],
      topics: log.topics.map(hash),
      data: text(/0x(?:[0-9a-fA-F]{2})*/, log.data).toLowerCase(),
      blockNumber: quantity(log.blockNumber),
      blockHash: hash(log.blockHash),
      transactionHash: hash(log.transactionHash),
      logIndex: index(log.logIndex),
    } as ChainLog
  })
}

function attempt<T>(work: () => T): T | 'refused' {
  try {
    return work()
  } catch (error) {
    if (error instanceof EndpointUnavailable || (error as Error).message?.startsWith('has')) return 'refused'
    if ((error as Error).message?.startsWith('is')) return 'refused'
    throw error
  }
}

describe('a list of logs', () => {
  test('is read as a plain reader reads each log by itself', () => {
    fc.assert(
      fc.property(fc.array(rawLog, { maxLength: 12 }), (logs) => {
        const read = readLogList(JSON.parse(JSON.stringify(logs)))
        expect(read).toEqual(readPlainly(logs))
      }),
      { numRuns: 1_000 },
    )
  })

  test('with anything broken in it is refused where a plain reader refuses it, and read alike where it does not', () => {
    let refused = 0
    fc.assert(
      fc.property(
        fc.array(rawLog, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(5), change), { minLength: 1, maxLength: 2 }),
        (logs, changes) => {
          const spoilt: unknown[] = [...logs]
          for (const [at, apply] of changes) {
            const [place, log] = [at % logs.length, logs[at % logs.length]]
            if (log) spoilt[place] = apply(log)
          }
          const text = JSON.stringify(spoilt)
          const read = attempt(() => readLogList(JSON.parse(text)))
          expect(read).toEqual(attempt(() => readPlainly(JSON.parse(text))))
          if (read === 'refused') refused += 1
        },
      ),
      { numRuns: 3_000 },
    )
    expect(refused).toBeGreaterThan(1_000)
  })

  test('that is none is refused', () => {
    for (const value of [null, {}, 'logs', 1, undefined])
      expect(() => readLogList(value)).toThrow(EndpointUnavailable)
  })
})

function isAsked(logs: readonly ChainLog[], { from, to, addresses, topics }: LogFilter): boolean {
  const isWanted = (log: ChainLog) =>
    from <= log.blockNumber &&
    log.blockNumber <= to &&
    (addresses === undefined || addresses.includes(log.address)) &&
    topics.every((wanted, i) => wanted === null || [wanted].flat().includes(log.topics[i] as never))
  const place = ({ blockNumber, logIndex }: ChainLog) => blockNumber * 2n ** 60n + BigInt(logIndex)
  return logs.every(
    (log, i) => isWanted(log) && logs.slice(0, i).every((before) => place(before) < place(log)),
  )
}

test('logs are taken exactly where each was asked for and all stand in their order, none of them twice', () => {
  let taken = 0
  const log = rawLog.map((raw) => readLogList([raw])[0] as ChainLog)
  const list = fc.array(log, { maxLength: 5 }).chain((logs) => {
    const sorted = logs.toSorted((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
    return fc.constantFrom(logs, sorted)
  })
  const hash = bytes(32).map((text) => text.toLowerCase() as ChainLog['data'])
  const filter: fc.Arbitrary<LogFilter> = fc.record(
    {
      from: fc.nat(10).map(BigInt),
      to: fc.integer({ min: 20, max: 45 }).map(BigInt),
      addresses: fc.array(
        log.map(({ address }) => address),
        { minLength: 1, maxLength: 6 },
      ),
      topics: fc.array(fc.oneof(fc.constant(null), hash, fc.array(hash, { minLength: 1 })), { maxLength: 3 }),
    },
    { requiredKeys: ['from', 'to', 'topics'] },
  )
  fc.assert(
    fc.property(list, filter, (logs, asked) => {
      const isTaken = attempt(() => checkLogs(logs, asked)) !== 'refused'
      expect(isTaken).toBe(isAsked(logs, asked))
      if (isTaken && logs.length > 1) taken += 1
    }),
    { numRuns: 5_000 },
  )
  expect(taken).toBeGreaterThan(20)
})
