import { expect, test } from 'vitest'
import type { GrowthPoint } from './measure-growth.ts'
import { relateGrowth } from './relate-growth.ts'

const point = (
  work: 'create' | 'list',
  name: string,
  rates: readonly [limit: number, service: number][],
): GrowthPoint => ({
  work,
  name,
  rounds: rates.map(([limit, service]) => ({ limit, service, p99: 1 })),
})

test('each size is related to the first of its own work, round by round', () => {
  const relations = relateGrowth([
    point('create', '10,000', [
      [100, 50],
      [10, 5],
      [200, 100],
    ]),
    point('create', '100,000', [
      [50, 50],
      [5, 4],
      [100, 60],
    ]),
    point('list', '10,000', [
      [8, 4],
      [8, 4],
      [8, 4],
    ]),
    point('list', '100,000', [
      [4, 1],
      [4, 1],
      [4, 1],
    ]),
  ])
  expect(relations).toEqual([
    { work: 'create', name: '10,000', service: 1, limit: 1 },
    { work: 'create', name: '100,000', service: 0.8, limit: 0.5 },
    { work: 'list', name: '10,000', service: 1, limit: 1 },
    { work: 'list', name: '100,000', service: 0.25, limit: 0.5 },
  ])
})
