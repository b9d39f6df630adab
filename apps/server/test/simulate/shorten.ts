import type { Place } from './cluster.ts'
import { type Outcome, simulate, turnCount } from './simulation.ts'

/** Most runs that the search for a shorter timeline may take. */
const mostRuns = 60

/**
 * Leaves out turns of a failing seed as long as a promise is still broken, the largest parts first. Returns
 * the shortest failing run that it found.
 */
export async function shorten(place: Place, failing: Outcome): Promise<Outcome> {
  let best = failing
  let kept = Array.from({ length: turnCount }, (_, turn) => turn)
  let runs = 0
  for (let size = Math.ceil(kept.length / 2); size >= 1 && runs < mostRuns; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length && runs < mostRuns; ) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)]
      const outcome = await simulate(place, failing.seed, { skip: allBut(fewer) })
      runs++
      if (outcome.broken === undefined) from += size
      else [best, kept] = [outcome, fewer]
    }
  }
  return best
}

function allBut(kept: readonly number[]): ReadonlySet<number> {
  const wanted = new Set(kept)
  return new Set(Array.from({ length: turnCount }, (_, turn) => turn).filter((turn) => !wanted.has(turn)))
}
