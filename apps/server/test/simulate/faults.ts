import type { Cluster } from './cluster.ts'
import type { Draw } from './draw.ts'
import { nodeMoods } from './nodes.ts'
import { slotsInAnEpoch, type World } from './world.ts'

/** Lets something fail, or mends it. */
export async function harm(world: World, cluster: Cluster, draw: Draw): Promise<void> {
  const kind = draw.weighted({ kill: 2, freeze: 1, thaw: 1, reorg: 3, node: 3, mend: 2, commit: 1, fee: 0.5 })
  const [replica, node] = [draw.pick(cluster.replicas), draw.pick(world.nodes)]
  switch (kind) {
    case 'kill':
      return cluster.kill(replica)
    case 'freeze':
    case 'thaw':
      if (replica.isFrozen === (kind === 'freeze')) return
      replica.isFrozen = !replica.isFrozen
      return world.say(`${replica.name} ${replica.isFrozen ? 'freezes' : 'continues'}`)
    case 'reorg':
      return reorg(world, draw)
    case 'node':
    case 'mend':
      node.mood = kind === 'mend' ? 'well' : draw.pick(nodeMoods)
      return world.say(`${node.url} is ${node.mood}`)
    case 'commit':
      cluster.losesCommit = true
      return
    case 'fee':
      world.model.surge(60n)
      return world.say('the base fee is 60 times as high')
  }
}

export function mendAll(world: World, cluster: Cluster): void {
  cluster.losesCommit = false
  for (const node of world.nodes) node.mood = 'well'
  for (const replica of cluster.replicas) replica.isFrozen = false
  world.say('nothing fails any more')
}

function reorg(world: World, draw: Draw): void {
  const { model } = world
  const longest = Number(model.head.number - model.options.first.number)
  const depth = Math.min(1 + draw.below(slotsInAnEpoch), longest)
  if (depth > 0) world.reorg(depth, draw)
}
