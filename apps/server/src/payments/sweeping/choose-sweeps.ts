import type { RateE8 } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Chain, readDataFee } from '../../chain/chain.ts'
import { nativeSymbolOf } from '../../chain/networks.ts'
import { findRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'

export type SweepCosts = {
  /** Fixed fee of a transaction, in wei. */
  readonly perTransaction: bigint
  readonly perSweep: bigint
}

export const sweepsPerTransaction = 20

/** A deposit of unknown value is swept after a day. */
const longestDoubtMs = 86_400_000

/**
 * Selects the sweeps that are worth their gas, largest first, in batches of {@link sweepsPerTransaction}.
 *
 * Each sweep must be worth its own gas, and the surplus of each batch must cover its transaction's fixed fee.
 * Pure.
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

/** Converts a token amount to wei, truncated. Returns `undefined` unless both rates are known. Pure. */
export function worthInNativeToken(
  units: bigint,
  decimals: number,
  rates: { readonly token: RateE8 | undefined; readonly coin: RateE8 | undefined },
): bigint | undefined {
  if (!rates.token || !rates.coin) return undefined
  return (units * rates.token * 10n ** 18n) / (rates.coin * 10n ** BigInt(decimals))
}

export type SweepBatch<Sweep> = { readonly factory: Wallet; readonly batch: readonly Sweep[] }

export function batchSweeps<Sweep extends { readonly factory: Wallet }>(
  sweeps: readonly Sweep[],
): SweepBatch<Sweep>[] {
  const batches: SweepBatch<Sweep>[] = []
  for (const [factory, own] of Map.groupBy(sweeps, (each) => each.factory))
    for (let at = 0; at < own.length; at += sweepsPerTransaction)
      batches.push({ factory, batch: own.slice(at, at + sweepsPerTransaction) })
  return batches
}

/** From the contracts' gas table, rounded up. */
const gasPerSweep = 60_000n
const gasPerTransaction = 30_000n

// Bytes of a `sweepMany` transaction with its signature, and of each sweep in it.
const bytesPerTransaction = 200
const bytesPerSweep = 96

type PriceNeeds = { readonly chain: Chain; readonly rates: RateBook }

/** Estimates sweep fees in wei at current prices, including the L1 data fee. */
export async function readSweepCosts({ chain }: Pick<PriceNeeds, 'chain'>): Promise<SweepCosts> {
  const full = bytesPerTransaction + sweepsPerTransaction * bytesPerSweep
  const [fees, dataFee, fullDataFee] = await Promise.all([
    chain.readFees(),
    readDataFee(chain, bytesPerTransaction),
    readDataFee(chain, full),
  ])
  // `maxFeePerGas` is 2 × base fee + tip. The price paid is base fee + tip.
  const perGas = (fees.maxFeePerGas + fees.maxPriorityFeePerGas) / 2n
  const dataPerSweep = (fullDataFee - dataFee) / BigInt(sweepsPerTransaction)
  return {
    perTransaction: gasPerTransaction * perGas + dataFee,
    perSweep: gasPerSweep * perGas + (dataPerSweep > 0n ? dataPerSweep : 0n),
  }
}

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
