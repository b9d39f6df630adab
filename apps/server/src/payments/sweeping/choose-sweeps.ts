import type { RateE8 } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Chain, readDataFee } from '../../chain/chain.ts'
import { nativeSymbolOf } from '../../chain/networks.ts'
import { findRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'

/** What sweeping costs now, in the smallest units of the chain's coin. */
export type SweepCosts = {
  /** Of each transaction, however much is swept by it. */
  readonly perTransaction: bigint
  readonly perSweep: bigint
}

/** How many deposits one transaction empties. */
export const sweepsPerTransaction = 20

/** Where nobody knows what money is worth it is swept after a day. */
const longestDoubtMs = 86_400_000

/**
 * The sweeps that are worth their gas now, the largest first, in transactions of {@link sweepsPerTransaction}.
 * A small one goes with others that pay for the transaction, as long as it pays for itself. Pure.
 */
export function chooseSweeps<T extends { readonly worth: bigint | undefined; readonly waitedMs: number }>(
  sweeps: readonly T[],
  costs: SweepCosts,
): T[] {
  const surplus = ({ worth, waitedMs }: T) => {
    if (worth !== undefined) return worth - costs.perSweep
    return waitedMs >= longestDoubtMs ? costs.perTransaction : -1n
  }
  const candidates = sweeps.filter((sweep) => surplus(sweep) >= 0n)
  candidates.sort((a, b) => (surplus(a) > surplus(b) ? -1 : 1))
  const chosen: T[] = []
  for (let at = 0; at < candidates.length; at += sweepsPerTransaction) {
    const batch = candidates.slice(at, at + sweepsPerTransaction)
    if (batch.reduce((sum, sweep) => sum + surplus(sweep), 0n) < costs.perTransaction) break
    chosen.push(...batch)
  }
  return chosen
}

/** An amount of a token in the smallest units of the chain's coin; `undefined` without both rates. Pure. */
export function worthInNativeToken(
  units: bigint,
  decimals: number,
  rates: { readonly token: RateE8 | undefined; readonly coin: RateE8 | undefined },
): bigint | undefined {
  if (!rates.token || !rates.coin) return undefined
  return (units * rates.token * 10n ** 18n) / (rates.coin * 10n ** BigInt(decimals))
}

/** Sweeps that one call of their factory makes. */
export type SweepBatch<Sweep> = { readonly factory: Wallet; readonly batch: readonly Sweep[] }

/** As many to a transaction as fit, those of one factory each. */
export function batchSweeps<Sweep extends { readonly factory: Wallet }>(
  sweeps: readonly Sweep[],
): SweepBatch<Sweep>[] {
  const batches: SweepBatch<Sweep>[] = []
  for (const [factory, own] of Map.groupBy(sweeps, (each) => each.factory))
    for (let at = 0; at < own.length; at += sweepsPerTransaction)
      batches.push({ factory, batch: own.slice(at, at + sweepsPerTransaction) })
  return batches
}

/** What a sweep costs in a batch, rounded up from the contracts' gas table; the rest of the batch comes to it. */
const gasPerSweep = 60_000n
const gasPerTransaction = 30_000n

// The bytes of `sweepMany` and of its signature, and those of one item.
const bytesPerTransaction = 200
const bytesPerSweep = 96

/** What the worth of sweeps is read from. */
type PriceNeeds = { readonly chain: Chain; readonly rates: RateBook }

/** What sweeping costs at the fees of now, the fee for data on the chain below included. */
export async function readSweepCosts({ chain }: Pick<PriceNeeds, 'chain'>): Promise<SweepCosts> {
  const full = bytesPerTransaction + sweepsPerTransaction * bytesPerSweep
  const [fees, dataFee, fullDataFee] = await Promise.all([
    chain.readFees(),
    readDataFee(chain, bytesPerTransaction),
    readDataFee(chain, full),
  ])
  // An offer is twice the base fee and the tip: what is paid is the base fee and the tip.
  const perGas = (fees.maxFeePerGas + fees.maxPriorityFeePerGas) / 2n
  const dataPerSweep = (fullDataFee - dataFee) / BigInt(sweepsPerTransaction)
  return {
    perTransaction: gasPerTransaction * perGas + dataFee,
    perSweep: gasPerSweep * perGas + (dataPerSweep > 0n ? dataPerSweep : 0n),
  }
}

/** What an amount is worth in the chain's coin; `undefined` where that is not known now. */
export async function findWorth(
  needs: PriceNeeds,
  tokenAddress: Wallet,
  units: bigint,
): Promise<bigint | undefined> {
  const token = needs.chain.tokens.find(({ address }) => address === tokenAddress)
  if (!token) return undefined
  const [rate, coin] = await Promise.all([
    findRate(needs, token.symbol),
    findRate(needs, nativeSymbolOf(needs.chain)),
  ])
  return worthInNativeToken(units, token.decimals, { token: rate?.usdPerUnit, coin: coin?.usdPerUnit })
}
