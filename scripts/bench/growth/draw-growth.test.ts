import { expect, test } from 'vitest'
import { drawGrowth, place, topOf } from './draw-growth.ts'
import type { Relation } from './relate-growth.ts'

const relation = (name: string, service: number, limit = 1): Relation => ({
  work: 'create',
  name,
  service,
  limit,
})

test('the upper end is a quarter above the highest value, and never below one and a quarter', () => {
  expect(topOf([relation('10,000', 0.4, 0.2)])).toBe(1.25)
  expect(topOf([relation('10,000', 1.3)])).toBe(1.5)
  expect(topOf([relation('10,000', 1, 2)])).toBe(2.25)
})

test('a value lies between both ends in its proportion', () => {
  expect(place(0, 2, 300, 100)).toBe(300)
  expect(place(1, 2, 300, 100)).toBe(200)
  expect(place(2, 2, 300, 100)).toBe(100)
})

test('every size is a point of each work, and what is lower stands lower', () => {
  const svg = drawGrowth([
    relation('10,000', 1),
    relation('100,000', 0.5),
    relation('10,000 merchants', 0.25),
  ])
  const heights = [...svg.matchAll(/<circle class="dot create" cx="[\d.]+" cy="([\d.]+)"/g)].map(([, y]) =>
    Number(y),
  )
  expect(heights).toHaveLength(3)
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
  expect(new Set(heights).size).toBe(3)
  expect(svg).toContain('prefers-color-scheme: dark')
})

test('merchants are not joined to receipts by a line', () => {
  const svg = drawGrowth([
    relation('10,000', 1),
    relation('100,000', 0.5),
    relation('10,000 merchants', 0.25),
  ])
  const [, points = ''] = /<polyline class="line create" points="([^"]+)"/.exec(svg) ?? []
  expect(points.split(' ')).toHaveLength(2)
})
