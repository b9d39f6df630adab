import { type WorkName, works } from '../works.ts'
import type { Relation } from './relate-growth.ts'

const size = { width: 760, height: 420 } as const
const plot = { left: 64, top: 64, right: 736, bottom: 316 } as const

const style = `
  .ground { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, sans-serif } .title { font-weight: 600; font-size: 15px }
  .rule { stroke: #d1d9e0 } .line { fill: none; stroke-width: 2.5 } .alone { stroke-dasharray: 6 5; stroke-width: 1.5 }
  .create { stroke: #0969da } .detail { stroke: #bc4c00 } .list { stroke: #1a7f37 }
  .dot.create { fill: #0969da } .dot.detail { fill: #bc4c00 } .dot.list { fill: #1a7f37 } .key { stroke: #59636e }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #f0f6fc } .rule { stroke: #3d444d } .key { stroke: #9198a1 }
    .create { stroke: #4493f8 } .detail { stroke: #f0883e } .list { stroke: #3fb950 }
    .dot.create { fill: #4493f8 } .dot.detail { fill: #f0883e } .dot.list { fill: #3fb950 }
  }`

/** What is answered with more receipts, as a part of what is answered with the fewest: an SVG, legible light and dark. */
export function drawGrowth(relations: readonly Relation[]): string {
  const names = [...new Set(relations.map(({ name }) => name))]
  const most = topOf(relations)
  const x = (name: string) =>
    place(names.indexOf(name), Math.max(1, names.length - 1), plot.left + 24, plot.right - 48)
  const y = (value: number) => place(value, most, plot.bottom, plot.top)
  const kinds = [...new Set(relations.map(({ work }) => work))]
  const parts = [
    `<text class="title" x="${plot.left}" y="28">Requests a second, as a part of those with ${escapeText(names[0] ?? '')} receipts</text>`,
    ...rules(most, y),
    ...names.map(
      (name) =>
        `<text x="${x(name)}" y="${plot.bottom + 24}" text-anchor="middle">${escapeText(name)}</text>`,
    ),
    ...kinds.flatMap((work) => curve(work, relations, { x, y })),
    ...legend(kinds),
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-label="Requests a second with more receipts">`,
    `<style>${style}\n</style>`,
    `<rect class="ground" width="${size.width}" height="${size.height}" rx="8"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

/** The value at the upper end: a whole quarter above all of them, and 1.25 at least. */
export function topOf(relations: readonly Relation[]): number {
  const most = Math.max(1, ...relations.flatMap(({ service, limit }) => [service, limit]))
  return (Math.floor(most * 4) + 1) / 4
}

/** Where a value between 0 and `most` is between two places. */
export function place(value: number, most: number, from: number, to: number): number {
  return Math.round((from + (value / most) * (to - from)) * 10) / 10
}

function rules(most: number, y: (value: number) => number): string[] {
  const values = Array.from({ length: Math.floor(most * 4) + 1 }, (_, i) => i / 4)
  return values.flatMap((value) => [
    `<line class="rule" x1="${plot.left}" x2="${plot.right}" y1="${y(value)}" y2="${y(value)}"/>`,
    `<text x="${plot.left - 10}" y="${y(value) + 4}" text-anchor="end">${value.toFixed(2)}</text>`,
  ])
}

type Scale = { x(name: string): number; y(value: number): number }

/** Points of what grows are joined; a number of merchants is another thing than one of receipts, and stands alone. */
function curve(work: WorkName, relations: readonly Relation[], { x, y }: Scale): string[] {
  const own = relations.filter((each) => each.work === work)
  const joined = own.filter(({ name }) => !name.includes('merchants'))
  const line = (of: 'service' | 'limit', kind: string) => {
    const points = joined.map((each) => `${x(each.name)},${y(each[of])}`).join(' ')
    return `<polyline class="line ${kind}${work}" points="${points}"/>`
  }
  return [
    line('limit', 'alone '),
    line('service', ''),
    ...own.map((each) => `<circle class="dot ${work}" cx="${x(each.name)}" cy="${y(each.service)}" r="4"/>`),
  ]
}

function legend(kinds: readonly WorkName[]): string[] {
  const row = plot.bottom + 58
  const entries = kinds.flatMap((work, i) => {
    const left = plot.left + i * 220
    return [
      `<line class="line ${work}" x1="${left}" x2="${left + 28}" y1="${row - 4}" y2="${row - 4}"/>`,
      `<text x="${left + 36}" y="${row}">${escapeText(works[work].what)}</text>`,
    ]
  })
  const below = row + 26
  return [
    ...entries,
    `<line class="line alone key" x1="${plot.left}" x2="${plot.left + 28}" y1="${below - 4}" y2="${below - 4}"/>`,
    `<text x="${plot.left + 36}" y="${below}">dashed: the statement by PostgreSQL alone</text>`,
  ]
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
}
