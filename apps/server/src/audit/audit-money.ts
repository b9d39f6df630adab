import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../chain/chain.ts'
import { listFactories } from '../chain/factory-store.ts'
import type { Database } from '../platform/database/database.ts'
import { cursorNames } from '../platform/jobs/names.ts'
import type { Account } from './account.ts'
import { type ArrivedAmount, keyOf, type Owners } from './arrival.ts'
import { checkAddresses, checkSums, nameLostCredit, nameMisplaced } from './check-sums.ts'
import { add, compareTransactions, type Difference } from './compare-ledger.ts'
import { compareNativeToken } from './compare-native-token.ts'
import { type BookedAmount, type BookedDeposit, type Ledger, type LostCredit, readLedger } from './ledger.ts'
import { type Line, makeLines } from './make-lines.ts'
import { type Movement, type Ours, readMovements } from './read-movements.ts'
import { type Traced, takenFrom, traceHidden } from './trace-hidden.ts'

/**
 * Assumed maximum depth of a reorg after an attempt was opened.
 *
 * A larger value costs only time, because a deposit address is empty before its attempt.
 */
const deepestReorg = 1_000n

export type AuditNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly report?: (text: string) => void
}

export type AuditOutcome = {
  readonly chain: number
  readonly block: bigint
  readonly latest: bigint
  readonly lines: readonly Line[]
  readonly differences: readonly Difference[]
  /** Arrivals that no reader has reached yet. */
  readonly unread: readonly ArrivedAmount[]
  readonly above: readonly BookedAmount[]
}

/** Thrown if the requested block is not final, so a reorg could change the result. */
export class BlockNotFinal extends Error {
  readonly code = 'invalid_input'

  constructor(message: string) {
    super(message)
    this.name = 'BlockNotFinal'
  }
}

const readers = {
  payments: cursorNames.transfers,
  splits: cursorNames.distributions,
  closed: cursorNames.closed,
  old: cursorNames.old,
}

/**
 * Compares the money that every address received on the chain with the ledger. Read-only.
 *
 * Each base unit must be in exactly one receipt or case. The audit shares only the chain connection with the
 * code that writes the ledger.
 *
 * @param options.block - A final block. Defaults to the newest block that the readers reached.
 * @throws {BlockNotFinal}
 * @throws {ChainUnavailable}
 */
export async function auditMoney(
  needs: AuditNeeds,
  options: { block?: bigint | undefined } = {},
): Promise<AuditOutcome> {
  const { db, chain, report = () => {} } = needs
  const { final, latest } = await chain.readHead()
  report('reading the ledger')
  const ledger = await readLedger(db, chain.id)
  const block = chooseBlock(ledger, final.number, options.block)
  const time = (await chain.findHeader(block))?.at ?? 0
  const taken = listTaken(ledger)
  const accounts = listAccounts(chain, ledger, taken)
  const ours: Ours = {
    splits: new Set(ledger.splits.map(({ address }) => address)),
    deposits: new Set(ledger.deposits.map(({ address }) => address)),
    tokens: new Set(chain.tokens.map(({ address }) => address)),
    factories: new Set(await listFactories(db, chain)),
  }
  const from = accounts.reduce((least, { since }) => (since < least ? since : least), block)
  const logged = ours.splits.size > 0 ? await readMovements(chain, ours, { from, to: block, report }) : []
  const owners = readOwners(ours, ledger, taken)
  const traced = await traceHidden({ chain, ours, owners, report }, accounts, logged, block)

  report(`comparing ${traced.arrived.length} deposits with ${ledger.amounts.length} entries of the ledger`)
  const unread = await findUnread(chain, ledger, traced.arrived, time)
  const isRead = (each: ArrivedAmount) => !unread.includes(each)
  const until = ledger.amounts.filter((each) => each.blockNumber <= block)
  const differences = compareTransactions(
    traced.arrived.filter(isRead),
    until.filter((each) => !isDepositNative(each)),
  )
  const coin = await compareDeposits(chain, ledger, accounts, traced, { block, time })
  const paid = new Set(accounts.flatMap((each) => (traced.received.get(each) ? [each.owner] : [])))
  const hasReceived = ({ address }: BookedDeposit) => paid.has(address)
  const found = [
    ...differences,
    ...coin,
    ...checkSums(owners, accounts, traced),
    ...(await checkAddresses(chain, [...ours.factories], ledger.deposits.filter(hasReceived), block)),
  ]
  const named = new Set(found.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)))
  const isUnnamed = ({ txHash }: LostCredit) => !named.has(txHash)
  return {
    chain: chain.id,
    block,
    latest: latest.number,
    lines: makeLines(accounts, traced, until),
    differences: [...found, ...ledger.lostCredits.filter(isUnnamed).map(nameLostCredit)],
    unread,
    above: ledger.amounts.filter((each) => each.blockNumber > block),
  }
}

/**
 * Returns, for each deposit address and token, the last block before the restored database recorded the
 * address.
 */
function listTaken(ledger: Ledger): ReadonlyMap<string, bigint> {
  const taken = new Map<string, bigint>()
  for (const { sweptFrom, token, blockNumber } of ledger.amounts) {
    const key = keyOf({ owner: sweptFrom as Wallet, token })
    if (blockNumber > (taken.get(key) ?? -1n)) taken.set(key, blockNumber)
  }
  return taken
}

function readOwners({ deposits }: Ours, ledger: Ledger, taken: ReadonlyMap<string, bigint>): Owners {
  return {
    receipts: new Map(
      ledger.deposits.map(({ split, reference, receiptId }) => [`${split} ${reference}`, receiptId]),
    ),
    isOurs: ({ from, token, blockNumber }: Movement) =>
      from !== undefined &&
      deposits.has(from) &&
      blockNumber > (taken.get(keyOf({ owner: from, token })) ?? -1n),
  }
}

function chooseBlock(ledger: Ledger, final: bigint, asked: bigint | undefined): bigint {
  if (asked !== undefined && asked > final)
    throw new BlockNotFinal(`Block ${asked} is not final; the newest final block is ${final}`)
  let block = asked ?? final
  for (const name of [readers.payments, readers.splits]) {
    const read = ledger.cursors.get(name)?.number
    if (read !== undefined && read < block) block = read
  }
  return block
}

function listAccounts(chain: Chain, ledger: Ledger, taken: ReadonlyMap<string, bigint>): Account[] {
  const tokens = chain.tokens.map(({ address }) => address)
  return [
    ...ledger.splits.flatMap(({ merchant, address, readFrom }) =>
      tokens.map(
        (token): Account => ({
          kind: 'split',
          receiptId: undefined,
          merchant,
          split: address,
          token,
          owner: address,
          since: readFrom,
        }),
      ),
    ),
    ...ledger.deposits.flatMap(({ merchant, receiptId, address, split, openedBlock }) =>
      tokens.map(
        (token): Account => ({
          kind: 'deposit',
          receiptId,
          merchant,
          split,
          token,
          owner: address,
          since:
            taken.get(keyOf({ owner: address, token })) ??
            (openedBlock > deepestReorg ? openedBlock - deepestReorg : 0n),
        }),
      ),
    ),
  ]
}

async function findUnread(
  chain: Chain,
  ledger: Ledger,
  arrived: readonly ArrivedAmount[],
  time: number,
): Promise<ArrivedAmount[]> {
  const deposits = new Map(ledger.deposits.map((deposit) => [deposit.address, deposit]))
  const booked = new Set(ledger.amounts.map(({ txHash }) => txHash))
  const unread: ArrivedAmount[] = []
  for (const each of arrived) {
    if (booked.has(each.txHash)) continue
    if (each.account.kind === 'split') {
      if (each.how !== 'called' && !ledger.cursors.has(readers.splits)) unread.push(each)
      continue
    }
    const deposit = deposits.get(each.account.owner)
    if (!deposit || deposit.hotUntil > time) continue
    if (each.blockNumber <= readOfClosed(ledger, deposit, time)) continue
    const at = (await chain.findHeader(each.blockNumber))?.at ?? 0
    if (at > deposit.hotUntil) unread.push(each)
  }
  return unread
}

function readOfClosed(ledger: Ledger, deposit: BookedDeposit, time: number): bigint {
  const reader = deposit.watchUntil > time ? readers.closed : readers.old
  return ledger.cursors.get(reader)?.number ?? -1n
}

async function compareDeposits(
  chain: Chain,
  ledger: Ledger,
  accounts: readonly Account[],
  traced: Traced,
  { block, time }: { block: bigint; time: number },
): Promise<Difference[]> {
  const differences = new Map<string, Difference>()
  const deposits = new Map(ledger.deposits.map((deposit) => [deposit.address, deposit]))
  const bookedAt = Map.groupBy(ledger.amounts.filter(isDepositNative), ({ address }) => address.toLowerCase())
  const sweeps = Map.groupBy(
    traced.movements.filter(({ kind }) => kind === 'swept'),
    ({ from, token }) => keyOf({ owner: from ?? nativeAddress, token }),
  )
  for (const account of accounts) {
    if (account.kind !== 'deposit' || account.token !== nativeAddress) continue
    const received = traced.received.get(account) ?? 0n
    const own = { received, sweeps: takenFrom(account, sweeps), at: block }
    const booked = bookedAt.get(account.owner.toLowerCase()) ?? []
    const isRight = ({ receiptId }: BookedAmount) => receiptId === account.receiptId
    const found = await compareNativeToken({ chain }, account, own, booked.filter(isRight))
    for (const each of booked.filter((one) => !isRight(one)))
      add(differences, account, nameMisplaced(each, account))
    const deposit = deposits.get(account.owner)
    const isCold = deposit !== undefined && deposit.hotUntil <= time
    for (const each of found)
      if (!isCold || each.ledger > 0n || each.blockNumber <= readOfClosed(ledger, deposit, time))
        add(differences, account, each)
  }
  return [...differences.values()]
}

/** Native deposits have no log, so the entry contains the address. */
function isDepositNative({ token, logIndex, address }: { token: Wallet; logIndex: number; address: string }) {
  return token === nativeAddress && logIndex < 0 && address !== ''
}

export function describeDifferences(differences: readonly Difference[]): string[] {
  return differences.flatMap(({ merchant, token, chain, ledger, transactions }) => [
    `merchant ${merchant}, token ${token}: ${chain} on the chain, ${ledger} in the ledger`,
    ...transactions.flatMap((each) => [
      `  ${each.hash} in block ${each.blockNumber}: ${each.chain} on the chain, ${each.ledger} in the ledger`,
      ...each.where.map((line) => `    ${line}`),
    ]),
  ])
}
