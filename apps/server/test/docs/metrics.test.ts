import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { gaugeTexts } from '../../src/app/probes/metrics.ts'
import { Metrics } from '../../src/platform/metrics.ts'

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const page = read('docs/reference/metrics.md')

/** Returns the cells of the rows whose first cell matches `name`. */
function rowsOf(name: RegExp): string[][] {
  const rows = page.split('\n').map((line) => line.split('|').slice(1, -1))
  return rows.map((cells) => cells.map((cell) => cell.trim())).filter(([first = '']) => name.test(first))
}

test('the page lists every metric with its type, and no other', async () => {
  const { text } = await new Metrics(async () => []).write()
  const counted = Array.from(text.matchAll(/^# TYPE (sluice_\w+) (\w+)$/gm), ([, name, type]) => [name, type])
  const gauges = Object.keys(gaugeTexts).map((name) => [name, 'gauge'])
  const listed = rowsOf(/^`sluice_/).map(([name = '', type = '']) => [
    name.replaceAll('`', ''),
    type.split(':')[0],
  ])
  expect(listed.toSorted()).toEqual([...counted, ...gauges].toSorted())
})

test('the page lists every alert with its severity and its time, in order', () => {
  const { rules } = parse(read('deploy/prometheus/rules.yaml')).groups[0]
  const alerts = (rules as { alert: string; labels: { severity: string }; for: string }[]).map((rule) => [
    `\`${rule.alert}\``,
    rule.labels.severity,
    rule.for,
  ])
  expect(rowsOf(/^`Sluice/).map((cells) => cells.slice(0, 3))).toEqual(alerts)
})
