import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../src/chain/chain.ts'
import { assert } from '../../src/kernel/assert.ts'
import type { Recipient } from '../../src/split/split.ts'
import { balanceOf, type ChainState } from './chain-state.ts'
import { decodeCall } from './decode-call.ts'
import {
  type Call,
  type ContractModel,
  emit,
  fail,
  moveUnits,
  Revert,
  type Run,
  takeUnits,
  tries,
  word,
} from './token-model.ts'

const allShares = 10_000n

/** A split's ledger of one token, as SplitBooks.sol keeps it. */
type Ledger = {
  readonly recipients: readonly Recipient[]
  readonly held: bigint
  /** All that was received when the split was last distributed. */
  readonly level: bigint
  readonly released: bigint
  /** One if a unit of the last recipient's part was kept. */
  readonly kept: bigint
  /** Number of recipients with an offset. */
  readonly offsets: bigint
}

const fieldOf = (field: 'level' | 'released' | 'kept' | 'offsets', split: Wallet, token: Wallet) =>
  `${field}:${split}:${token}`
const offsetOf = (split: Wallet, token: Wallet, account: Wallet) => `offset:${split}:${token}:${account}`

export function readLedger(
  model: Pick<ContractModel, 'splits'>,
  state: ChainState,
  split: Wallet,
  token: Wallet,
): Ledger {
  return {
    recipients: model.splits.get(split) ?? [],
    held: state.get(balanceOf(token, split)),
    level: state.get(fieldOf('level', split, token)),
    released: state.get(fieldOf('released', split, token)),
    kept: state.get(fieldOf('kept', split, token)),
    offsets: state.get(fieldOf('offsets', split, token)),
  }
}

/** Totals of a split's contract in one token. */
export function readTotals(
  state: ChainState,
  split: Wallet,
  token: Wallet,
): { received: bigint; released: bigint } {
  const released = state.get(fieldOf('released', split, token))
  return { received: state.get(balanceOf(token, split)) + released, released }
}

export function callSplit(run: Run, { from, to: split, value, data }: Call): Hex {
  if (data === '0x') {
    emit(run, split, merchantSplitAbi, 'PaymentReceived', { from, amount: value })
    return '0x'
  }
  const call = decodeCall(merchantSplitAbi, data)
  if (call.functionName === 'pay') return pay(run, split, nativeAddress, from, value, call.args[0])
  if (value > 0n) throw new Revert('0x')
  switch (call.functionName) {
    case 'payToken': {
      const [token, amount, ref] = call.args as [Wallet, bigint, Hex]
      if (!run.model.tokens.has(token)) fail(merchantSplitAbi, 'NotAToken', [token])
      takeUnits(run, { token, owner: from, spender: split, to: split, amount })
      return pay(run, split, token, from, amount, ref)
    }
    case 'distribute':
      distribute(run, split, call.args[0] as Wallet)
      return '0x'
    case 'release': {
      const [token, account] = tokenAndAccount(call.args)
      release(run, split, token, account)
      return '0x'
    }
    case 'releasable': {
      const [token, account] = tokenAndAccount(call.args)
      return word(dueOf(run, split, token, account))
    }
    case 'totalReleased':
      return word(
        readLedger(run.model, run.state, split, (call.args?.[0] ?? nativeAddress) as Wallet).released,
      )
    default:
      assert(false, `the model of a split has no ${call.functionName}`)
  }
}

/** Functions of an account have a second form, with the token before it. */
function tokenAndAccount(args: readonly unknown[]): [Wallet, Wallet] {
  return (args.length === 2 ? args : [nativeAddress, ...args]) as [Wallet, Wallet]
}

function pay(run: Run, split: Wallet, token: Wallet, payer: Wallet, amount: bigint, receiptRef: Hex): Hex {
  if (amount === 0n) fail(merchantSplitAbi, 'NothingReceived')
  emit(run, split, merchantSplitAbi, 'Payment', { receiptRef, token, payer, amount })
  return '0x'
}

/** Pays each recipient its part. Holds the part of one that refuses. Gas is always enough. */
function distribute(run: Run, split: Wallet, token: Wallet): void {
  const {
    recipients,
    held,
    level,
    offsets: offsetsBefore,
    ...ledger
  } = readLedger(run.model, run.state, split, token)
  let { released, kept } = ledger
  let offsets = offsetsBefore
  const received = held + released
  if (received === level && offsets === 0n) return
  for (const [i, { address, sharesBps }] of recipients.entries()) {
    const share = BigInt(sharesBps)
    const isLast = i === recipients.length - 1
    const offset = run.state.get(offsetOf(split, token, address))
    let due = (received * share) / allShares - (level * share) / allShares - offset
    if (isLast) due += kept
    const isAllThereIs =
      isLast &&
      token !== nativeAddress &&
      due > 0n &&
      offsets === (offset === 0n ? 0n : 1n) &&
      released + due === received
    const unit = isAllThereIs ? 1n : 0n
    if (isLast) kept = 0n
    const push = due - unit
    if (due > 0n && (push === 0n || tries(() => moveUnits(run, token, split, address, push)))) {
      released += push
      kept += unit
      due = 0n
    }
    if (due > 0n) emit(run, split, merchantSplitAbi, 'PushFailed', { token, account: address, amount: due })
    run.state.set(offsetOf(split, token, address), -due)
    offsets += (due === 0n ? 0n : 1n) - (offset === 0n ? 0n : 1n)
  }
  run.state.set(fieldOf('level', split, token), received)
  run.state.set(fieldOf('released', split, token), released)
  run.state.set(fieldOf('kept', split, token), kept)
  run.state.set(fieldOf('offsets', split, token), offsets)
  const isUnitKept = kept === 1n
  emit(run, split, merchantSplitAbi, 'Distributed', { token, totalReceived: received, isUnitKept })
}

function dueOf(run: Run, split: Wallet, token: Wallet, account: Wallet): bigint {
  const { recipients, held, level, released, kept } = readLedger(run.model, run.state, split, token)
  const share = BigInt(recipients.find(({ address }) => address === account)?.sharesBps ?? 0)
  const offset = run.state.get(offsetOf(split, token, account))
  const keptOfIt = recipients.at(-1)?.address === account ? kept : 0n
  const releasedToIt = (level * share) / allShares + offset - keptOfIt
  return ((held + released) * share) / allShares - releasedToIt
}

/** Pays one recipient, including the unit that was kept. */
function release(run: Run, split: Wallet, token: Wallet, account: Wallet): void {
  const { recipients, kept } = readLedger(run.model, run.state, split, token)
  if (!recipients.some(({ address }) => address === account))
    failWith('PaymentSplitter: account has no shares')
  const due = dueOf(run, split, token, account)
  if (due === 0n) failWith('PaymentSplitter: account is not due payment')
  const isLast = recipients.at(-1)?.address === account
  const key = offsetOf(split, token, account)
  const before = run.state.get(key)
  const after = before + due - (isLast ? kept : 0n)
  run.state.set(key, after)
  run.state.add(fieldOf('offsets', split, token), (after === 0n ? 0n : 1n) - (before === 0n ? 0n : 1n))
  run.state.add(fieldOf('released', split, token), due)
  if (isLast) run.state.set(fieldOf('kept', split, token), 0n)
  moveUnits(run, token, split, account, due)
  if (token === nativeAddress)
    emit(run, split, merchantSplitAbi, 'PaymentReleased', { to: account, amount: due })
  else emit(run, split, merchantSplitAbi, 'ERC20PaymentReleased', { token, to: account, amount: due })
}

function failWith(reason: string): never {
  fail(errorAbi, 'Error', [reason])
}

const errorAbi = [{ type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] }] as const
