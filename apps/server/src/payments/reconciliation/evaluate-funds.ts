export type PaidMoney = {
  readonly isCredited: boolean
  /** True if paid to the split directly, false if paid to a deposit address. */
  readonly isCall: boolean
  readonly place: string
  readonly source: string
  readonly units: bigint
  readonly blockNumber: bigint
}

export type ArrivedMoney = {
  readonly isSweep: boolean
  readonly place: string
  readonly source: string
  readonly units: bigint
  /** Transaction that released or held every recipient's share. */
  readonly settledBy: string | undefined
  readonly held: Readonly<Record<string, string>> | undefined
}

export type FundsVerdict =
  | { readonly kind: 'distributed'; readonly arrivals: readonly ArrivedMoney[] }
  | {
      readonly kind: 'not-yet'
      readonly because: 'nothing credited' | 'not final' | 'not arrived' | 'not settled'
    }

/**
 * Evaluates whether a receipt's credited payments are final and fully distributed. Pure.
 *
 * A sweep moves the whole balance of a deposit address. All money that arrived there up to the newest
 * credited payment must therefore be swept first, whether credited or not.
 *
 * @param arrived - From final blocks only, in chain order.
 * @param final - Height of the newest block in the ledger.
 */
export function evaluateFunds(
  paid: readonly PaidMoney[],
  arrived: readonly ArrivedMoney[],
  final: bigint,
): FundsVerdict {
  const credited = paid.filter(({ isCredited }) => isCredited)
  if (credited.length === 0) return { kind: 'not-yet', because: 'nothing credited' }
  if (credited.some(({ blockNumber }) => blockNumber > final))
    return { kind: 'not-yet', because: 'not final' }

  const carriers: ArrivedMoney[] = []
  const byPlace = new Map(arrived.toReversed().map((arrival) => [arrival.place, arrival]))
  for (const payment of credited.filter(({ isCall }) => isCall)) {
    const arrival = byPlace.get(payment.place)
    if (!arrival) return { kind: 'not-yet', because: 'not arrived' }
    carriers.push(arrival)
  }
  const sourceOf = ({ source }: { readonly source: string }) => source
  const deposits = paid.filter(({ isCall }) => !isCall)
  const bySource = Map.groupBy(deposits, sourceOf)
  const counted = Map.groupBy(
    deposits.filter(({ isCredited }) => isCredited),
    sourceOf,
  )
  const sweeps = Map.groupBy(
    arrived.filter(({ isSweep }) => isSweep),
    sourceOf,
  )
  for (const [source, own] of counted) {
    const last = highest(own)
    let open = sumUnits((bySource.get(source) ?? []).filter(({ blockNumber }) => blockNumber <= last))
    for (const arrival of sweeps.get(source) ?? []) {
      if (open <= 0n) break
      carriers.push(arrival)
      open -= arrival.units
    }
    if (open > 0n) return { kind: 'not-yet', because: 'not arrived' }
  }
  return carriers.some(({ settledBy }) => settledBy === undefined)
    ? { kind: 'not-yet', because: 'not settled' }
    : { kind: 'distributed', arrivals: carriers }
}

function highest(money: readonly PaidMoney[]): bigint {
  return money.reduce((top, { blockNumber }) => (blockNumber > top ? blockNumber : top), 0n)
}

function sumUnits(money: readonly PaidMoney[]): bigint {
  return money.reduce((sum, { units }) => sum + units, 0n)
}
