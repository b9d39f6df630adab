import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Chain, readDataFee } from '../../chain/chain.ts'
import { nativeSymbolOf } from '../../chain/networks.ts'
import { findRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { type SweepCosts, sweepsPerTransaction, worthInNativeToken } from './choose-sweeps.ts'

/** What a sweep costs in a batch, rounded up from the contracts' gas table; the rest of the batch comes to it. */
const gasPerSweep = 60_000n
const gasPerTransaction = 30_000n

// The bytes of `sweepMany` and of its signature, and those of one item.
const bytesPerTransaction = 200
const bytesPerSweep = 96

/** What the worth of sweeps is read from. */
export type PriceNeeds = { readonly chain: Chain; readonly rates: RateBook }

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
