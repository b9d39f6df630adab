import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from '../../source/list-files.ts'
import { middle } from '../middle.ts'
import { works } from '../works.ts'
import { loadLine, machineLine, range, replaceFigures } from '../write-report.ts'
import { drawGrowth } from './draw-growth.ts'
import { type GrowthHow, type GrowthPoint, measureGrowth } from './measure-growth.ts'
import { relateGrowth } from './relate-growth.ts'

const picture = 'docs/images/growth.svg'

/** Measures how the works go with more receipts and merchants; prints it, draws it and writes it down. */
export async function runGrowth(how: GrowthHow): Promise<void> {
  const before = loadavg()[0] ?? 0
  const points = await measureGrowth(how)
  const relations = relateGrowth(points)
  const rows = points.map((point, i) => cellsOf(point, relations[i]?.service ?? 0, relations[i]?.limit ?? 0))
  for (const cells of rows) console.log(`  ${cells.join('  ')}`)
  writeFileSync(join(repositoryRoot, picture), drawGrowth(relations))
  replaceFigures('growth', [
    `${machineLine()}; ${loadLine([before, loadavg()[0] ?? 0])}`,
    `${how.connections} connections, ${how.rounds} rounds of ${how.seconds} s for each.`,
    '',
    `![Requests a second with more receipts](${picture.replace('docs/', '')})`,
    '',
    '| Work | Receipts | PostgreSQL alone | Sluice | p99 | Ratio | Beside the fewest: Sluice | PostgreSQL |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ])
}

function cellsOf({ work, name, rounds }: GrowthPoint, service: number, limit: number): string[] {
  return [
    works[work].what,
    name,
    `${range(rounds.map((round) => round.limit))}/s`,
    `${range(rounds.map((round) => round.service))}/s`,
    `${middle(rounds.map(({ p99 }) => p99)).toFixed(0)} ms`,
    middle(rounds.map((round) => round.service / round.limit)).toFixed(2),
    service.toFixed(2),
    limit.toFixed(2),
  ]
}
