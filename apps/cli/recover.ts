#!/usr/bin/env node
import { createHash, createHmac } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import {
  type Address,
  BaseError,
  bytesToHex,
  concatHex,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  getContractAddress,
  type Hex,
  HttpRequestError,
  hexToBytes,
  http,
  keccak256,
  LimitExceededRpcError,
  multicall3Abi,
  type PublicClient,
  parseAbi,
  TimeoutError,
  type TransactionSerializable,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

// Finds the money at deposit addresses and pays it out, without the service and its database. This one file needs only
// viem and @scure/bip39: it must still run if nothing else of Sluice does. See docs/backup.md.

const help = `Usage: node recover-VERSION.mjs --rpc URL [--kit FILE | --factory ADDRESS --from TIME --token ADDRESS…] [--pay-out]
       npm run recover -- … (in the repository)

Lists every deposit address that ever received money and the amounts that are still there. Reads the 24 words of the
recovery seed from stdin or from the file of --words.

  --rpc URL           RPC endpoint (or the environment variable RPC_URL)
  --kit FILE          recovery kit that the service wrote; gives factory, tokens, splits and attempts
  --factory ADDRESS   factory, if there is no kit
  --token ADDRESS     further token to look for; repeatable
  --from, --to TIME   period to search for attempts that the kit does not contain (default: from the kit until now)
  --per-second N      numbers to search in each second, 1 to 256 (default: 8)
  --words FILE        file with the words, instead of stdin
  --state FILE        progress, to continue after an interruption (default: recover-state.json); contains no secret
  --max-requests N    stop after about N requests (default: 50000); run again to continue
  --pay-out           sweep each deposit into its split and distribute; needs RECOVERY_GAS_KEY, the private key of an
                      account that pays the gas

Exit codes: 0 complete, 1 something could not be read or paid out, 2 wrong input, 3 stopped: run again to continue.
`

const native: Address = '0x0000000000000000000000000000000000000000'
const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
const numbersPerSecond = 256n
const [readsPerRequest, requestsAtOnce, sweepsPerTransaction] = [1_200, 4, 25]
const [blocksPerRequest, fewestBlocks] = [10_000n, 10n]
const [requestTimeoutMs, miningTimeoutMs, saveEveryMs] = [20_000, 180_000, 5_000]
/** Attempts that are being stored while the kit is written can be missing from it. */
const kitMarginSeconds = 600n
const [unreadAtMost, splitsAtMost, strangersAtMost] = [10_000, 20_000, 50_000]

const factoryAbi = parseAbi([
  'event SplitCreated(address indexed split, bytes32 indexed salt)',
  'event DepositSwept(bytes32 indexed ref, address indexed split, address indexed token, address deposit, uint256 amount)',
  'function depositAddress(address split, bytes32 ref) view returns (address)',
  'function predictSplit(address[] recipients, uint32[] bps, bytes32 salt) view returns (address)',
  'function createSplit(address[] recipients, uint32[] bps, bytes32 salt) returns (address)',
  'struct Sweep { address split; bytes32 ref; address token; }',
  'function sweepMany(Sweep[] sweeps)',
])
const splitAbi = parseAbi([
  'function recipients() view returns (address[] accounts, uint32[] shares)',
  'function releasable(address account) view returns (uint256)',
  'function releasable(address token, address account) view returns (uint256)',
  'function released(address token, address account) view returns (uint256)',
  'function distribute(address token)',
])

type Recipient = { address: Address; sharesBps: number }
type KitSplit = {
  address: Address
  factory: Address
  salt: Hex
  merchant: Address
  recipients: Recipient[]
  attempts: { factory: Address; numbers: string; references: Hex[] }[]
}
type Kit = {
  kind: string
  version: number
  writtenAt: string
  since: string
  chainId: number
  factory: Address
  tokens: { symbol: string; address: Address; decimals: number }[]
  isComplete: boolean
  splits: KitSplit[]
}

type Candidate = {
  split: Address
  factory: Address
  reference: Hex
  /** Whether the seed or the kit leads to it. Anyone can create other deposit addresses. */
  isOwn: boolean
}
type Deposit = Candidate & {
  /** Base units by token. */
  swept: Record<string, string>
  left: Record<string, string>
}
type State = {
  fingerprint: string
  seconds: { from: string; to: string }
  blocks: { next: string; splitsFrom: string }
  /** Splits that the kit does not contain. */
  splits: Address[]
  kitDone: number
  searchDone: string
  deposits: Record<string, Deposit>
  unread: { candidates: Candidate[]; blocks: [string, string][]; others: number }
  pending?: Hex | undefined
}

/** Ends the run. The state is saved. */
class Stopped extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode = 3) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Returns the reference of a number: the same as `DepositReferences` of the service. */
export function referenceOf(seed: Uint8Array, split: string, number: bigint): Hex {
  const message = `deposit reference\n${split.toLowerCase()}\n${number}`
  return `0x${createHmac('sha256', seed).update(message).digest('hex')}`
}

const codeHashes = new Map<string, Hex>()

/** Returns the deposit address in lower case: the same as `SplitFactory.depositAddress`. */
export function depositOf({ factory, split, reference }: Omit<Candidate, 'isOwn'>): Address {
  let codeHash = codeHashes.get(factory)
  if (!codeHash) {
    const implementation = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 2n })
    const head = '0x602a8060093d393df336600557005b365f5f375f5f365f73'
    codeHash = keccak256(concatHex([head, implementation, '0x5af45f52595ff3']))
    codeHashes.set(factory, codeHash)
  }
  const salt = keccak256(hexToBytes(`0x${split.slice(2).padStart(64, '0')}${reference.slice(2)}`))
  const preimage: Hex = `0xff${factory.slice(2)}${salt.slice(2)}${codeHash.slice(2)}`
  return bytesToHex(keccak256(hexToBytes(preimage), 'bytes').subarray(12))
}

/** Reads the sorted numbers of a kit. */
export function unpackNumbers(text: string): bigint[] {
  let last = 0n
  return text.split(' ').flatMap((part) => {
    if (part === '') return []
    let step = 0n
    for (const digit of part) step = step * 36n + BigInt(Number.parseInt(digit, 36))
    last += step
    return last
  })
}

type Context = {
  client: PublicClient
  seed: Uint8Array
  kit: Kit | undefined
  factory: Address
  /** The native coin first. */
  tokens: Address[]
  names: Map<string, { symbol: string; decimals: number }>
  state: State
  perSecond: bigint
  save(): void
  report(line: string): void
  /** @throws {Stopped} at the limit of requests, and after a signal. */
  check(): void
  /** Checks. Reports and saves at most every few seconds. */
  pass(progress: string): void
}

async function main(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const values = readOptions(argv)
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const context = await open(values, env)
  const account = values['pay-out'] ? readAccount(env) : undefined
  try {
    await readHistory(context)
    await readKitAttempts(context)
    await search(context)
    const sender = account && (await openSender(context, account))
    await refresh(context)
    const isPaid = sender ? await payOut(context, sender) : true
    list(context)
    const isRead = reportUnread(context)
    return isPaid && isRead ? 0 : 1
  } finally {
    context.save()
  }
}

const options = {
  rpc: { type: 'string' },
  kit: { type: 'string' },
  factory: { type: 'string' },
  token: { type: 'string', multiple: true, default: [] as string[] },
  from: { type: 'string' },
  to: { type: 'string' },
  'per-second': { type: 'string', default: '8' },
  words: { type: 'string' },
  state: { type: 'string', default: 'recover-state.json' },
  'max-requests': { type: 'string', default: '50000' },
  'pay-out': { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

function readOptions(args: string[]): Values {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Stopped((error as Error).message, 2)
  }
}

async function open(values: Values, env: NodeJS.ProcessEnv): Promise<Context> {
  const rpc = values.rpc ?? env.RPC_URL
  if (!rpc) throw new Stopped('--rpc is missing (see --help)', 2)
  const kit = values.kit === undefined ? undefined : readKit(values.kit)
  const factory = readAddress(values.factory ?? kit?.factory, '--factory')
  const perSecond = readNumber(values['per-second'], '--per-second', Number(numbersPerSecond))
  const limit = readNumber(values['max-requests'], '--max-requests', 1e9)
  const extra = values.token.map((token) => readAddress(token, '--token'))
  const tokens = [...new Set([native, ...(kit?.tokens ?? []).map((each) => lower(each.address)), ...extra])]
  if (!kit && values.from === undefined) throw new Stopped('without a kit, --from is required', 2)
  const seed = readSeed(values.words === undefined ? await readStdin() : readFile(values.words))
  let requests = 0
  const counted = { onFetchRequest: () => void requests++ }
  const transport = http(rpc, { timeout: requestTimeoutMs, retryCount: 4, retryDelay: 500, ...counted })
  const client = createPublicClient({ transport })
  await checkChain(client, { kit, factory, tokens })
  const names = await readNames(client, kit, tokens)

  const hash = createHash('sha256').update(seed)
  const inputs = [
    kit?.writtenAt,
    await client.getChainId(),
    factory,
    values.from,
    values.to,
    perSecond,
    tokens,
  ]
  const fingerprint = hash.update(JSON.stringify(inputs)).digest('hex')
  const state = await openState(client, values, { kit, fingerprint })
  let isStopping = false
  process.once('SIGINT', () => (isStopping = true)).once('SIGTERM', () => (isStopping = true))
  let lastAt = 0
  const report = (line: string) => void process.stdout.write(`${line}\n`)
  const save = () => writeWhole(values.state, JSON.stringify(state))
  const check = () => {
    if (isStopping) throw new Stopped('stopped')
    if (requests >= limit) throw new Stopped(`stopped after ${requests} requests`)
  }
  const pass = (progress: string) => {
    check()
    if (Date.now() - lastAt < saveEveryMs) return
    lastAt = Date.now()
    save()
    report(`${progress}; ${Object.keys(state.deposits).length} addresses found, ${requests} requests`)
  }
  return {
    client,
    seed,
    kit,
    factory,
    tokens,
    names,
    state,
    perSecond: BigInt(perSecond),
    save,
    report,
    check,
    pass,
  }
}

/** Verifies that the endpoint serves the chain of the kit and that the factory computes our addresses. */
async function checkChain(
  client: PublicClient,
  { kit, factory, tokens }: { kit: Kit | undefined; factory: Address; tokens: Address[] },
): Promise<void> {
  const chainId = await client.getChainId()
  if (kit && kit.chainId !== chainId)
    throw new Stopped(`the kit is of chain ${kit.chainId}, but the endpoint serves chain ${chainId}`, 2)
  const probe = { factory, split: multicall3.toLowerCase() as Address, reference: keccak256('0x01') }
  const args = [probe.split, probe.reference] as const
  const call = { address: factory, abi: factoryAbi, functionName: 'depositAddress', args } as const
  const own = await client.readContract(call).catch(() => undefined)
  if (own?.toLowerCase() !== depositOf(probe)) throw new Stopped(`${factory} is not a factory of Sluice`, 2)
  if (!(await client.getCode({ address: multicall3 }))) throw new Stopped('the chain has no Multicall3', 2)
  const amounts = await readMany(
    { client },
    tokens.map((token) => balanceCall({ owner: multicall3, token })),
  )
  const wrong = tokens.find((_, i) => amounts[i] === undefined)
  if (wrong) throw new Stopped(`${wrong} is not a token`, 2)
}

async function readNames(
  client: PublicClient,
  kit: Kit | undefined,
  tokens: Address[],
): Promise<Context['names']> {
  const names: Context['names'] = new Map([[native, { symbol: 'native coin', decimals: 18 }]])
  for (const { address, symbol, decimals } of kit?.tokens ?? [])
    names.set(lower(address), { symbol, decimals })
  for (const address of tokens.filter((token) => !names.has(token))) {
    const decimals = await client
      .readContract({ address, abi: erc20Abi, functionName: 'decimals' })
      .catch(() => 0)
    names.set(address, { symbol: address, decimals })
  }
  return names
}

async function openState(
  client: PublicClient,
  { state: path, from, to }: Values,
  { kit, fingerprint }: { kit: Kit | undefined; fingerprint: string },
): Promise<State> {
  if (existsSync(path)) {
    const state: State = JSON.parse(readFile(path))
    if (state.fingerprint === fingerprint) return state
    throw new Stopped(`${path} belongs to a run with other inputs: remove it or name another --state`, 2)
  }
  const kitSecond = kit ? secondOf(kit.writtenAt) - kitMarginSeconds : 0n
  const fromSecond = from === undefined ? kitSecond : secondOf(from)
  const toSecond = to === undefined ? BigInt(Math.floor(Date.now() / 1_000)) : secondOf(to)
  const next = await findBlock(client, kit ? secondOf(kit.since) : fromSecond)
  const splitsFrom = kit ? await findBlock(client, kitSecond) : next
  return {
    fingerprint,
    seconds: { from: String(fromSecond), to: String(toSecond) },
    blocks: { next: String(next), splitsFrom: String(splitsFrom) },
    splits: [],
    kitDone: 0,
    searchDone: '0',
    deposits: {},
    unread: { candidates: [], blocks: [], others: 0 },
  }
}

/** Returns the first block at or after a second, or the newest block. */
async function findBlock(client: PublicClient, second: bigint): Promise<bigint> {
  let [low, high] = [0n, await client.getBlockNumber()]
  while (low < high) {
    const middle = (low + high) / 2n
    const { timestamp } = await client.getBlock({ blockNumber: middle })
    if (timestamp >= second) high = middle
    else low = middle + 1n
  }
  return low
}

/** Reads the factories' events: sweeps show past money, and further splits are searched too. */
async function readHistory(context: Context): Promise<void> {
  const { client, state } = context
  for (const range of [...state.unread.blocks]) {
    await readBlocks(context, BigInt(range[0]), BigInt(range[1]), (next) => {
      range[0] = next
    })
    state.unread.blocks.splice(state.unread.blocks.indexOf(range), 1)
  }
  await readBlocks(context, BigInt(state.blocks.next), await client.getBlockNumber(), (next) => {
    state.blocks.next = next
  })
}

async function readBlocks(
  context: Context,
  from: bigint,
  to: bigint,
  advance: (next: string) => void,
): Promise<void> {
  const { state } = context
  let step = blocksPerRequest
  for (let at = from; at <= to; ) {
    const end = at + step - 1n < to ? at + step - 1n : to
    try {
      await readEvents(context, at, end)
    } catch (error) {
      if (step > fewestBlocks) {
        step = step / 4n > fewestBlocks ? step / 4n : fewestBlocks
        continue
      }
      if (isTransport(error)) throw unreachable(error)
      noteUnreadBlocks(state, at, end)
    }
    at = end + 1n
    advance(String(at))
    step = step * 2n < blocksPerRequest ? step * 2n : blocksPerRequest
    context.pass(`read the events up to block ${end} of ${to}`)
  }
}

function noteUnreadBlocks({ unread }: State, from: bigint, to: bigint): void {
  if (unread.blocks.length < unreadAtMost) unread.blocks.push([String(from), String(to)])
  else unread.others += Number(to - from) + 1
}

async function readEvents(context: Context, fromBlock: bigint, toBlock: bigint): Promise<void> {
  const { client, kit, factory, state } = context
  const attempts = kit?.splits.flatMap((split) => split.attempts) ?? []
  const address = [...new Set([factory, ...attempts.map((each) => lower(each.factory))])]
  const events = factoryAbi.filter((item) => item.type === 'event')
  const logs = await client.getLogs({ address, events, fromBlock, toBlock, strict: true })
  const known = new Set(splitsOf(context))
  let strangers = kit ? 0 : Object.keys(state.deposits).length
  for (const log of logs) {
    const split = lower(log.args.split)
    if (log.eventName === 'SplitCreated') {
      // The search counts through the splits: later ones would move its position.
      const isLate = log.blockNumber < BigInt(state.blocks.splitsFrom) || state.searchDone !== '0'
      if (isLate || known.has(split)) continue
      if (state.splits.length < splitsAtMost) state.splits.push(split)
      else state.unread.others++
      known.add(split)
      continue
    }
    if (!known.has(split)) continue
    const isOwn = kit !== undefined
    if (!isOwn && ++strangers > strangersAtMost) {
      state.unread.others++
      continue
    }
    const { swept } = depositIn(state, { split, factory: lower(log.address), reference: log.args.ref, isOwn })
    const key = lower(log.args.token)
    swept[key] = String(BigInt(swept[key] ?? 0) + log.args.amount)
  }
}

function depositIn(state: State, candidate: Candidate): Deposit {
  const address = depositOf(candidate)
  const deposit = state.deposits[address] ?? { ...candidate, swept: {}, left: {} }
  deposit.isOwn ||= candidate.isOwn
  state.deposits[address] = deposit
  return deposit
}

function splitsOf({ kit, state }: Pick<Context, 'kit' | 'state'>): Address[] {
  return [...(kit?.splits ?? []).map((split) => lower(split.address)), ...state.splits]
}

async function readKitAttempts(context: Context): Promise<void> {
  const { kit, seed, state } = context
  const again = [...state.unread.candidates]
  const packed = (kit?.splits ?? []).flatMap((split) =>
    split.attempts.flatMap(({ factory, numbers, references }) => [
      ...unpackNumbers(numbers).map((number) => ({
        split: lower(split.address),
        factory: lower(factory),
        number,
      })),
      ...references.map((number) => ({ split: lower(split.address), factory: lower(factory), number })),
    ]),
  )
  await readBalances(context, again.length, 0, (i) => again[i] as Candidate, 'read again')
  state.unread.candidates.splice(0, again.length)
  await readBalances(
    context,
    packed.length,
    state.kitDone,
    (i) => {
      const { number, ...rest } = packed[i] as (typeof packed)[number]
      const reference = typeof number === 'bigint' ? referenceOf(seed, rest.split, number) : number
      return { ...rest, reference, isOwn: true }
    },
    'read the attempts of the kit',
    (done) => {
      state.kitDone = done
    },
  )
}

/** Searches the first number of each second and split, then the second number, and so on. */
async function search(context: Context): Promise<void> {
  const { seed, factory, state, perSecond } = context
  const splits = splitsOf(context)
  const first = BigInt(state.seconds.from)
  const perLevel = (BigInt(state.seconds.to) - first + 1n) * BigInt(splits.length)
  const total = perLevel > 0n ? Number(perLevel * perSecond) : 0
  const requests = Math.ceil((total - Number(state.searchDone)) / perPageOf(context))
  context.report(`Searching ${splits.length} splits ${showPeriod(state)}: about ${requests} requests.`)
  await readBalances(
    context,
    total,
    Number(state.searchDone),
    (i) => {
      const place = BigInt(i)
      const split = splits[Number(place % BigInt(splits.length))] as Address
      const second = first + (place % perLevel) / BigInt(splits.length)
      const number = second * numbersPerSecond + place / perLevel
      return { split, factory, reference: referenceOf(seed, split, number), isOwn: true }
    },
    'searched',
    (done) => {
      state.searchDone = String(done)
    },
  )
}

/** Reads the balances of candidates page by page and stores the addresses that hold money. */
async function readBalances(
  context: Context,
  total: number,
  start: number,
  at: (index: number) => Candidate,
  name: string,
  advance: (done: number) => void = () => {},
): Promise<void> {
  const perPage = perPageOf(context)
  for (let done = start; done < total; ) {
    const pages: Candidate[][] = []
    for (let from = done; from < total && pages.length < requestsAtOnce; from += perPage)
      pages.push(Array.from({ length: Math.min(perPage, total - from) }, (_, i) => at(from + i)))
    await Promise.all(pages.map((page) => readPage(context, page)))
    done += pages.reduce((sum, page) => sum + page.length, 0)
    advance(done)
    context.pass(`${name}: ${done} of ${total} addresses`)
  }
}

function perPageOf({ tokens }: Context): number {
  return Math.max(1, Math.floor(readsPerRequest / tokens.length))
}

async function readPage(context: Context, page: Candidate[]): Promise<void> {
  const { tokens, state } = context
  context.check()
  const asked = page.flatMap((candidate) => tokens.map((token) => ({ owner: depositOf(candidate), token })))
  try {
    const amounts = await readMany(context, asked.map(balanceCall))
    for (const [i, candidate] of page.entries()) {
      const own = amounts.slice(i * tokens.length, (i + 1) * tokens.length)
      if (own.includes(undefined)) noteUnread(state, candidate)
      if (!state.deposits[depositOf(candidate)] && !own.some((amount) => amount)) continue
      const deposit = depositIn(state, candidate)
      for (const [j, amount] of own.entries())
        if (amount !== undefined) deposit.left[tokens[j] as Address] = String(amount)
    }
  } catch (error) {
    if (page.length <= 20 && isTransport(error)) throw unreachable(error)
    if (page.length === 1) return noteUnread(state, page[0] as Candidate)
    const middle = Math.ceil(page.length / 2)
    await readPage(context, page.slice(0, middle))
    await readPage(context, page.slice(middle))
  }
}

async function readMany(
  { client }: Pick<Context, 'client'>,
  calls: { target: Address; callData: Hex }[],
): Promise<(bigint | undefined)[]> {
  if (calls.length === 0) return []
  const args = [calls.map((call) => ({ ...call, allowFailure: true }))] as const
  const call = { address: multicall3, abi: multicall3Abi, functionName: 'aggregate3', args } as const
  const results = await client.readContract(call)
  return results.map(({ success, returnData }) =>
    success && returnData.length >= 66 ? BigInt(returnData.slice(0, 66)) : undefined,
  )
}

function balanceCall({ owner, token }: { owner: Address; token: Address }) {
  const args = [owner] as const
  return token === native
    ? {
        target: multicall3,
        callData: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args }),
      }
    : { target: token, callData: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args }) }
}

/** Reads again the balances of all addresses that were found. */
async function refresh(context: Context): Promise<void> {
  const found = Object.values(context.state.deposits)
  await readBalances(context, found.length, 0, (i) => found[i] as Deposit, 'read again')
}

type Sender = {
  /** Returns whether the transaction succeeded. */
  send(to: Address, data: Hex): Promise<boolean>
}

/** Sweeps every deposit into its split and distributes. Safe to repeat. Returns whether all money was moved. */
async function payOut(context: Context, sender: Sender): Promise<boolean> {
  const { kit, state, tokens, report } = context
  const owners = Object.values(state.deposits).filter(({ isOwn }) => isOwn)
  const kitSplits = new Map((kit?.splits ?? []).map((split) => [lower(split.address), split]))
  const deployed = new Set<Address>()
  for (const split of await listFunded(context, owners)) {
    const check = () => isDeployed(context, sender, split, kitSplits.get(split))
    if (await orReport(context, split, check)) deployed.add(split)
  }

  const sweeps = owners.flatMap(({ split, factory, reference, left }) =>
    tokens.flatMap((token) =>
      deployed.has(split) && BigInt(left[token] ?? 0) > 0n ? { factory, split, ref: reference, token } : [],
    ),
  )
  for (const factory of new Set(sweeps.map((each) => each.factory))) {
    const own = sweeps.filter((each) => each.factory === factory)
    for (let i = 0; i < own.length; i += sweepsPerTransaction) {
      const batch = own.slice(i, i + sweepsPerTransaction)
      if (!(await sender.send(factory, sweepData(batch))))
        for (const sweep of batch) await sender.send(factory, sweepData([sweep]))
      report(`swept ${Math.min(i + sweepsPerTransaction, own.length)} of ${own.length} deposits`)
      context.pass('sweeping')
    }
  }
  let isDone = true
  for (const split of deployed)
    for (const token of tokens)
      isDone = (await orReport(context, split, () => distribute(context, sender, split, token))) && isDone
  await readHistory(context)
  await refresh(context)
  return isDone && owners.every(({ left }) => Object.values(left).every((amount) => amount === '0'))
}

/** Lists the splits that hold money themselves or at their deposit addresses. */
async function listFunded(context: Context, deposits: Deposit[]): Promise<Set<Address>> {
  const { kit, tokens } = context
  const known = (kit?.splits ?? []).map((split) => lower(split.address))
  const splits = [...new Set([...known, ...deposits.map(({ split }) => split)])]
  const holding = deposits.filter(({ left }) => Object.values(left).some((amount) => amount !== '0'))
  const funded = new Set(holding.map(({ split }) => split))
  for (let i = 0; i < splits.length; i += perPageOf(context)) {
    const page = splits.slice(i, i + perPageOf(context))
    const asked = page.flatMap((owner) => tokens.map((token) => ({ owner, token })))
    const amounts = await readMany(context, asked.map(balanceCall))
    for (const [j, { owner }] of asked.entries()) if (amounts[j] !== 0n) funded.add(owner)
  }
  return funded
}

/** Returns the result of the work, or `false` after an error of this split, so that it blocks no other split. */
async function orReport({ report }: Context, split: Address, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Stopped || isTransport(error)) throw error
    report(`the split ${split} was skipped: ${briefly(error)}`)
    return false
  }
}

/** Waits for the last transaction of an earlier run. Saves the hash of each transaction before it sends it. */
async function openSender({ client, state, save }: Context, account: PrivateKeyAccount): Promise<Sender> {
  const { address } = account
  if ((await client.getBalance({ address })) === 0n) throw new Stopped(`${address} has no coin for gas`, 2)
  const wait = async (hash: Hex) => {
    const receipt = await client
      .waitForTransactionReceipt({ hash, timeout: miningTimeoutMs, pollingInterval: 1_000 })
      .catch(() => undefined)
    if (!receipt) throw new Stopped(`transaction ${hash} is not mined yet: wait or replace it`)
    state.pending = undefined
    return receipt.status === 'success'
  }
  const { pending } = state
  const isKnown = pending && (await client.getTransaction({ hash: pending }).catch(() => undefined))
  if (pending && isKnown) await wait(pending)
  return {
    async send(to, data) {
      const used = await client.estimateGas({ account: address, to, data }).catch((error) => {
        if (isTransport(error)) throw unreachable(error)
        return undefined
      })
      if (used === undefined) return false
      const gas = (used * 13n) / 10n + 50_000n
      try {
        const request = await client.prepareTransactionRequest({ account, chain: null, to, data, gas })
        // The types of viem do not connect these two calls.
        const serializedTransaction = await account.signTransaction(request as TransactionSerializable)
        state.pending = keccak256(serializedTransaction)
        save()
        return await wait(await client.sendRawTransaction({ serializedTransaction }))
      } catch (error) {
        if (error instanceof Stopped) throw error
        throw new Stopped(`a transaction could not be sent: ${briefly(error)}`)
      }
    },
  }
}

function sweepData(sweeps: { split: Address; ref: Hex; token: Address }[]): Hex {
  const args = [sweeps.map(({ split, ref, token }) => ({ split, ref, token }))] as const
  return encodeFunctionData({ abi: factoryAbi, functionName: 'sweepMany', args })
}

/** Returns whether the split has its contract. Creates the contract from the kit if it is missing. */
async function isDeployed(
  { client, report }: Context,
  sender: Sender,
  address: Address,
  known: KitSplit | undefined,
): Promise<boolean> {
  if (await client.getCode({ address })) return true
  if (!known) return false
  const accounts = known.recipients.map((recipient) => recipient.address)
  const args = [accounts, known.recipients.map(({ sharesBps }) => sharesBps), known.salt] as const
  const at = { address: known.factory, abi: factoryAbi } as const
  const predicted = await client.readContract({ ...at, functionName: 'predictSplit', args })
  const data = encodeFunctionData({ abi: factoryAbi, functionName: 'createSplit', args })
  const isCreated = lower(predicted) === address && (await sender.send(known.factory, data))
  report(
    isCreated ? `created the split ${address}` : `the split ${address} has no contract and cannot be created`,
  )
  return isCreated
}

/** Distributes a token of a split if something is due. Returns whether every recipient got its part. */
async function distribute(
  context: Context,
  sender: Sender,
  split: Address,
  token: Address,
): Promise<boolean> {
  const { client, report } = context
  const held = await readMany(context, [balanceCall({ owner: split, token })])
  if (held[0] === 0n) return true
  const at = { address: split, abi: splitAbi } as const
  const [accounts] = await client.readContract({ ...at, functionName: 'recipients' })
  const readParts = (functionName: 'releasable' | 'released') =>
    readMany(
      context,
      accounts.map((account) => ({ target: split, callData: accountCall(functionName, token, account) })),
    )
  // A split keeps one base unit of a token: it is no reason to distribute.
  const most = token === native ? 0n : 1n
  const isDue = async () =>
    (await readParts('releasable')).reduce<bigint>((sum, each) => sum + (each ?? 0n), 0n) > most
  if (!(await isDue())) return true
  const before = await readParts('released')
  const data = encodeFunctionData({ abi: splitAbi, functionName: 'distribute', args: [token] })
  const isSent = await sender.send(split, data)
  const after = await readParts('released')
  for (const [i, account] of accounts.entries()) {
    const paid = (after[i] ?? 0n) - (before[i] ?? 0n)
    if (paid > 0n) report(`paid ${showAmount(context, token, paid)} to ${account} from ${split}`)
  }
  if (isSent && !(await isDue())) return true
  report(`the split ${split} still holds money that a recipient did not accept (token ${token})`)
  return false
}

function accountCall(functionName: 'releasable' | 'released', token: Address, account: Address): Hex {
  if (functionName === 'released')
    return encodeFunctionData({ abi: splitAbi, functionName, args: [token, account] })
  return token === native
    ? encodeFunctionData({ abi: splitAbi, functionName, args: [account] })
    : encodeFunctionData({ abi: splitAbi, functionName, args: [token, account] })
}

function list(context: Context): void {
  const { state, tokens, report } = context
  const totals = new Map<string, bigint>()
  const found = Object.entries(state.deposits).filter(([, { isOwn }]) => isOwn)
  for (const [address, { split, swept, left }] of found)
    for (const token of new Set([...tokens, ...Object.keys(swept)]) as Set<Address>) {
      const [moved, here] = [BigInt(swept[token] ?? 0), BigInt(left[token] ?? 0)]
      if (moved + here === 0n) continue
      const received = showAmount(context, token, moved + here)
      report(
        `${address} for split ${split}: received ${received}, ${showAmount(context, token, here)} is there`,
      )
      totals.set(token, (totals.get(token) ?? 0n) + here)
    }
  report(`${found.length} deposit addresses received money.`)
  for (const [token, total] of totals) report(`Still there: ${showAmount(context, token as Address, total)}`)
}

/** Reports what could not be read. Returns whether everything was. */
function reportUnread({ kit, state, perSecond, report }: Context): boolean {
  const { candidates, blocks, others } = state.unread
  report(`Searched the first ${perSecond} numbers of each second ${showPeriod(state)}.`)
  if (kit && !kit.isComplete)
    report('The kit omits the oldest attempts: search their time with --from and --to.')
  if (candidates.length + blocks.length + others === 0) return true
  report(
    `Could not read ${candidates.length} addresses, ${blocks.length} ranges of blocks, ${others} others.`,
  )
  report('Run again, with another RPC endpoint, to try them again.')
  return false
}

function showPeriod({ seconds }: State): string {
  const show = (second: string) => new Date(Number(second) * 1_000).toISOString()
  return `from ${show(seconds.from)} to ${show(seconds.to)}`
}

function showAmount({ names }: Context, token: Address, amount: bigint): string {
  const { symbol, decimals } = names.get(token) ?? { symbol: `base units of ${token}`, decimals: 0 }
  return `${formatUnits(amount, decimals)} ${symbol}`
}

function noteUnread({ unread }: State, { split, factory, reference, isOwn }: Candidate): void {
  if (unread.candidates.length < unreadAtMost) unread.candidates.push({ split, factory, reference, isOwn })
  else unread.others++
}

function isTransport(error: unknown): boolean {
  const kinds = [HttpRequestError, TimeoutError, LimitExceededRpcError]
  return (
    error instanceof BaseError && error.walk((each) => kinds.some((kind) => each instanceof kind)) !== null
  )
}

function unreachable(error: unknown): Stopped {
  return new Stopped(`the RPC endpoint failed: ${briefly(error)}`)
}

/** The full message of viem contains the URL, which can contain a key. */
function briefly(error: unknown): string {
  return error instanceof BaseError ? error.shortMessage : String((error as Error).stack)
}

function readKit(path: string): Kit {
  const kit: Kit = JSON.parse(readFile(path))
  if (kit.kind !== 'sluice-recovery-kit' || kit.version !== 1)
    throw new Stopped(`${path} is not a recovery kit`, 2)
  return kit
}

function readSeed(words: string): Uint8Array {
  const text = words.trim().toLowerCase().split(/\s+/).join(' ')
  try {
    const seed = mnemonicToEntropy(text, wordlist)
    if (seed.length === 32) return seed
  } catch {}
  throw new Stopped('the words are not the 24 words of a recovery seed', 2)
}

function readAccount(env: NodeJS.ProcessEnv): PrivateKeyAccount {
  const key = env.RECOVERY_GAS_KEY?.trim() ?? ''
  if (/^0x[0-9a-fA-F]{64}$/.test(key)) return privateKeyToAccount(key as Hex)
  throw new Stopped('--pay-out needs RECOVERY_GAS_KEY: 0x and the 64 hexadecimal digits of a private key', 2)
}

function readAddress(text: string | undefined, name: string): Address {
  if (text !== undefined && /^0x[0-9a-fA-F]{40}$/.test(text)) return lower(text)
  throw new Stopped(`${name} must be an address: 0x and 40 hexadecimal digits`, 2)
}

function readNumber(text: string, name: string, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= most) return value
  throw new Stopped(`${name} must be a number from 1 to ${most}`, 2)
}

function secondOf(text: string): bigint {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new Stopped(`${text} is not a time such as 2026-11-22T14:05:00Z`, 2)
  return BigInt(Math.floor(at / 1_000))
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Enter the 24 words, then press Ctrl-D:\n')
  return text(process.stdin)
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Stopped(`${path} cannot be read: ${(error as Error).message}`, 2)
  }
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.part`, text, { mode: 0o600 })
  renameSync(`${path}.part`, path)
}

const lower = (address: string) => address.toLowerCase() as Address

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  process.exitCode = await main(process.argv.slice(2), process.env).catch((error: unknown) => {
    const stopped = error instanceof Stopped ? error : isTransport(error) ? unreachable(error) : undefined
    process.stderr.write(`${stopped?.message ?? briefly(error)}\n`)
    if (stopped?.exitCode === 3) process.stderr.write('The progress is saved. Run the same command again.\n')
    return stopped?.exitCode ?? 1
  })
