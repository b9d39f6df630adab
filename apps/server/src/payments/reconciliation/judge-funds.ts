/** Money seen for a receipt. */
export type PaidMoney = {
  readonly isCredited: boolean
  /** Paid to the split itself; else it came to a deposit address. */
  readonly isCall: boolean
  /** Transaction and log. */
  readonly place: string
  /** Reference and token: one deposit address in one token. */
  readonly source: string
  readonly units: bigint
  readonly blockNumber: bigint
}

/** Money that reached the split for a receipt. */
export type ArrivedMoney = {
  readonly isSweep: boolean
  readonly place: string
  readonly source: string
  readonly units: bigint
  /** The transaction with which every recipient's part was released or held. */
  readonly settledBy: string | undefined
  /** What of it is held, by account. */
  readonly held: Readonly<Record<string, string>> | undefined
}

/** Whether a receipt's funds are distributed, with the arrivals that carried them. */
export type FundsVerdict =
  | { readonly kind: 'distributed'; readonly arrivals: readonly ArrivedMoney[] }
  | {
      readonly kind: 'not-yet'
      readonly because: 'nothing credited' | 'not final' | 'not arrived' | 'not settled'
    }

/**
 * Whether all that was credited to a receipt is final, reached the split, and went out to every recipient or
 * is held for it, that too final. Pure.
 *
 * A sweep takes all a deposit address holds. So what came there before the newest credited payment, counted
 * or not, has to be through before that payment is known to be.
 *
 * @param arrived - From final blocks only, in the order of the chain.
 * @param final - Height of the newest block in the books.
 */
export function judgeFunds(
  paid: readonly PaidMoney[],
  arrived: readonly ArrivedMoney[],
  final: bigint,
): FundsVerdict {
  const credited = paid.filter(({ isCredited }) => isCredited)
  if (credited.length === 0) return { kind: 'not-yet', because: 'nothing credited' }
  if (credited.some(({ blockNumber }) => blockNumber > final))
    return { kind: 'not-yet', because: 'not final' }

  const carriers: ArrivedMoney[] = []
  // The first at each place.
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
