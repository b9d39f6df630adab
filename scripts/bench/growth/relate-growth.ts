import { middle } from '../middle.ts'
import type { WorkName } from '../works.ts'
import type { GrowthPoint } from './measure-growth.ts'

/** How much of what is answered with the fewest receipts is answered with more: 1 where nothing slows down. */
export type Relation = {
  readonly work: WorkName
  readonly name: string
  readonly service: number
  /** The same of PostgreSQL alone. */
  readonly limit: number
}

/** Relates each size to the first of its work, round by round, so that both were measured in the same minutes. */
export function relateGrowth(points: readonly GrowthPoint[]): Relation[] {
  return points.map(({ work, name, rounds }) => {
    const first = points.find((each) => each.work === work)?.rounds ?? []
    const relate = (of: 'service' | 'limit') =>
      middle(rounds.map((round, i) => round[of] / (first[i]?.[of] ?? Number.NaN)))
    return { work, name, service: relate('service'), limit: relate('limit') }
  })
}
