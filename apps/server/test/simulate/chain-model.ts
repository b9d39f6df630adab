import { createHash } from 'node:crypto'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { getAddress, keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { assert } from '../../src/kernel/assert.ts'
import { balanceOf, ChainState, nonceOf } from './chain-state.ts'
import { runCall } from './contract-model.ts'
import type { Call, CallResult, ContractModel, Event } from './token-model.ts'

export type Transaction = Call & {
  readonly hash: Hex
  readonly raw: Hex
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFee: bigint
  readonly tip: bigint
}

export type MinedTransaction = Transaction & {
  readonly isSuccess: boolean
  readonly gasUsed: bigint
  readonly gasPrice: bigint
  readonly events: readonly Event[]
  /** Index in the block of the first event. */
  readonly firstLogIndex: number
}

export type ModelBlock = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly baseFee: bigint
  readonly gasUsed: bigint
  readonly transactions: readonly MinedTransaction[]
  /** State after the block. */
  readonly state: ChainState
}

/** A transaction to mine again, in the block `offset` blocks after the fork. */
export type Replay = { readonly transaction: Transaction; readonly offset: number }

export type ChainModelOptions = {
  readonly chainId: number
  readonly contracts: ContractModel
  /** Makes the hashes of blocks differ between runs. */
  readonly seed: number
  /** The first block of the model. Earlier ones are empty. */
  readonly first: Pick<ModelBlock, 'number' | 'timestamp' | 'baseFee' | 'gasUsed'>
  /** The `safe` block is this many blocks behind the head, `finalized` twice as many. */
  readonly slotsInAnEpoch: number
  /** Gas that a transaction used, if it is known better than by `estimateGas`. */
  readonly gasOf?: (hash: Hex) => bigint | undefined
}

const gasLimit = 30_000_000n

/**
 * A chain with our contracts that mines and reorganizes on request. Everything follows from the seed and the
 * calls; nothing reads time or randomness.
 *
 * Not modeled: gas that runs out inside a call, contract creation, signatures of contracts.
 */
export class ChainModel {
  readonly options: ChainModelOptions
  /** By block number. */
  readonly blocks: ModelBlock[] = []
  #pool: Transaction[] = []
  #leastFee = 0n
  /** Counts mined blocks, so that two branches never have a block in common. */
  #minedCount = 0

  constructor(options: ChainModelOptions) {
    this.options = options
    const { first } = options
    for (let number = 0n; number <= first.number; number++)
      this.#append({ ...first, number, transactions: [], state: this.head?.state ?? new ChainState() })
  }

  get head(): ModelBlock {
    return this.blocks.at(-1) as ModelBlock
  }

  get safe(): ModelBlock {
    return this.#behind(this.options.slotsInAnEpoch)
  }

  get final(): ModelBlock {
    return this.#behind(2 * this.options.slotsInAnEpoch)
  }

  /** Whether a transaction waits in the mempool. */
  get hasWaiting(): boolean {
    return this.#pool.length > 0
  }

  /** Sets a number of the newest state, such as a balance. */
  set(key: string, value: bigint): void {
    const { head } = this
    const state = head.state.copy()
    state.set(key, value)
    this.blocks[this.blocks.length - 1] = { ...head, state }
  }

  /** Base fee that others keep up. */
  setLeastFee(baseFee: bigint): void {
    this.#leastFee = baseFee
  }

  /** Takes a transaction into the mempool, or returns the reason for its rejection. */
  send(transaction: Transaction): string | undefined {
    const { from, hash, nonce } = transaction
    const isMined = this.blocks.some((block) => block.transactions.some((each) => each.hash === hash))
    if (isMined || this.#pool.some((each) => each.hash === hash)) return 'already known'
    if (nonce < this.head.state.get(nonceOf(from))) return 'nonce too low'
    if (!canPay(this.head.state, transaction)) return 'insufficient funds for gas * price + value'
    const rival = this.#pool.find((each) => each.from === from && each.nonce === nonce)
    if (rival && !outbids(transaction, rival)) return 'replacement transaction underpriced'
    this.#pool = [...this.#pool.filter((each) => each !== rival), transaction]
    return undefined
  }

  /** Returns the nonce after those of the mempool. */
  pendingNonce(account: Wallet): bigint {
    let nonce = this.head.state.get(nonceOf(account))
    while (this.#pool.some((each) => each.from === account && each.nonce === nonce)) nonce++
    return nonce
  }

  mine(blockCount = 1, secondsApart = 0): void {
    for (let left = blockCount; left > 0; left--) {
      const baseFee = this.#nextFee()
      this.#mineBlock(this.head.timestamp + BigInt(secondsApart), (state, gasLeft) =>
        this.#bestOf(state, baseFee, gasLeft),
      )
      this.#dropMined()
    }
  }

  /**
   * Replaces the newest `depth` blocks by as many. Drops their transactions except `replay`, and of these the
   * ones that are not valid any more.
   */
  reorg(depth: number, replay: readonly Replay[] = [], secondsApart = 0): void {
    assert(this.head.number - BigInt(depth) >= this.options.first.number, 'the first block stays')
    this.blocks.length -= depth
    for (let i = 0; i < depth; i++) {
      const wanted = replay.filter(({ offset }) => offset === i).map(({ transaction }) => transaction)
      const baseFee = this.#nextFee()
      this.#mineBlock(this.head.timestamp + BigInt(secondsApart), (state) => {
        for (let next = wanted.shift(); next; next = wanted.shift())
          if (isValid(state, baseFee, next)) return next
        return undefined
      })
    }
    this.#dropMined()
  }

  /** Runs a call on the state of a block without changing it. */
  call(call: Call, { state, timestamp } = this.head): CallResult {
    return runCall(this.options.contracts, state.fork(), call, timestamp)
  }

  #nextFee(): bigint {
    const baseFee = nextBaseFee(this.head)
    return baseFee > this.#leastFee ? baseFee : this.#leastFee
  }

  #dropMined(): void {
    this.#pool = this.#pool.filter(({ from, nonce }) => nonce >= this.head.state.get(nonceOf(from)))
  }

  #behind(count: number): ModelBlock {
    return this.blocks[Math.max(0, this.blocks.length - 1 - count)] as ModelBlock
  }

  #mineBlock(timestamp: bigint, next: (state: ChainState, gasLeft: bigint) => Transaction | undefined): void {
    const baseFee = this.#nextFee()
    let { state } = this.head
    const transactions: MinedTransaction[] = []
    let [gasUsed, logCount] = [0n, 0]
    for (let each = next(state, gasLimit); each; each = next(state, gasLimit - gasUsed)) {
      // Blocks without transactions share a state.
      if (transactions.length === 0) state = state.copy()
      const mined = this.#execute(state, each, { baseFee, timestamp, firstLogIndex: logCount })
      transactions.push(mined)
      gasUsed += mined.gasUsed
      logCount += mined.events.length
    }
    this.#append({ number: this.head.number + 1n, timestamp, baseFee, gasUsed, transactions, state })
  }

  #execute(
    state: ChainState,
    transaction: Transaction,
    at: { baseFee: bigint; timestamp: bigint; firstLogIndex: number },
  ): MinedTransaction {
    const { from, hash, gas } = transaction
    const gasPrice = priceOf(transaction, at.baseFee)
    state.add(nonceOf(from), 1n)
    state.add(balanceOf(nativeAddress, from), -gas * gasPrice)
    const trial = state.fork()
    const result = runCall(this.options.contracts, trial, transaction, at.timestamp)
    const needed = this.options.gasOf?.(hash) ?? estimateGas(transaction, result)
    const isSuccess = result.isSuccess && needed <= gas
    if (isSuccess) trial.commit()
    const gasUsed = needed < gas ? needed : gas
    state.add(balanceOf(nativeAddress, from), (gas - gasUsed) * gasPrice)
    const events = isSuccess ? result.events : []
    return { ...transaction, isSuccess, gasUsed, gasPrice, events, firstLogIndex: at.firstLogIndex }
  }

  /** Returns the transaction of the mempool with the highest tip that can be mined now; of equal ones the oldest. */
  #bestOf(state: ChainState, baseFee: bigint, gasLeft: bigint): Transaction | undefined {
    let best: Transaction | undefined
    for (const each of this.#pool) {
      if (each.gas > gasLeft || !isValid(state, baseFee, each)) continue
      if (!best || priceOf(each, baseFee) > priceOf(best, baseFee)) best = each
    }
    return best
  }

  #append(block: Omit<ModelBlock, 'hash' | 'parentHash'>): void {
    const parentHash: Hex = this.head?.hash ?? `0x${'0'.repeat(64)}`
    const text = `${this.options.seed}:${this.#minedCount++}:${parentHash}`
    const hash: Hex = `0x${createHash('sha256').update(text).digest('hex')}`
    this.blocks.push({ ...block, hash, parentHash })
  }
}

/**
 * Reads signed bytes as `eth_sendRawTransaction` receives them.
 *
 * @param sender - Signer, if it is known: recovering it takes a millisecond.
 */
export async function readTransaction(raw: Hex, sender?: Wallet): Promise<Transaction> {
  const { to, value, data, nonce, gas, ...parsed } = parseTransaction(raw)
  assert(to && gas && parsed.type === 'eip1559', 'the model takes EIP-1559 calls only')
  return {
    hash: keccak256(raw),
    raw,
    from:
      sender ??
      ((await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })) as Wallet),
    to: getAddress(to) as Wallet,
    value: value ?? 0n,
    data: data ?? '0x',
    nonce: BigInt(nonce ?? 0),
    gas,
    maxFee: parsed.maxFeePerGas ?? 0n,
    tip: parsed.maxPriorityFeePerGas ?? 0n,
  }
}

/** Gas of a call: the intrinsic part, and a flat part for each event in place of the real storage costs. */
export function estimateGas({ data }: Pick<Call, 'data'>, { events }: CallResult): bigint {
  return 21_000n + 8n * BigInt(data.length) + 60_000n * BigInt(events.length)
}

function canPay(state: ChainState, { from, gas, maxFee, value }: Transaction): boolean {
  return state.get(balanceOf(nativeAddress, from)) >= gas * maxFee + value
}

function isValid(state: ChainState, baseFee: bigint, each: Transaction): boolean {
  return each.nonce === state.get(nonceOf(each.from)) && each.maxFee >= baseFee && canPay(state, each)
}

/** A replacement must raise both fees by a tenth. */
function outbids(newer: Transaction, older: Transaction): boolean {
  return newer.maxFee * 10n >= older.maxFee * 11n && newer.tip * 10n >= older.tip * 11n
}

function priceOf({ maxFee, tip }: Transaction, baseFee: bigint): bigint {
  return maxFee < baseFee + tip ? maxFee : baseFee + tip
}

/** EIP-1559: the fee moves by up to an eighth towards blocks that are half full. */
export function nextBaseFee({ baseFee, gasUsed }: Pick<ModelBlock, 'baseFee' | 'gasUsed'>): bigint {
  const target = gasLimit / 2n
  const change = (excess: bigint) => (baseFee * excess) / target / 8n
  if (gasUsed <= target) return baseFee - change(target - gasUsed)
  const rise = change(gasUsed - target)
  return baseFee + (rise > 0n ? rise : 1n)
}
