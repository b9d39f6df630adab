import type { Cluster } from './cluster.ts'
import type { Draw } from './draw.ts'
import { nodeMoods } from './nodes.ts'
import { receiverMoods } from './receiver.ts'
import type { Replica } from './replica.ts'
import { ether, slotsInAnEpoch, usualFee, type World } from './world.ts'

const dayMs = 86_400_000

const weights = {
  kill: 2,
  freeze: 1,
  thaw: 1,
  reorg: 3,
  node: 3,
  mend: 2,
  commit: 2,
  fee: 0.5,
  calm: 0.3,
  clock: 0.5,
  gas: 0.3,
}

/** After a restore, addresses of a replica with a wrong clock are not found: docs/backup.md. */
function weightsOf({ has }: World) {
  const clock = has.restores ? 0 : weights.clock
  return { ...weights, clock, receiver: has.receiverFaults ? 3 : 0 }
}

/** Lets something fail, or mends it. */
export async function harm(world: World, cluster: Cluster, draw: Draw, only?: 'reorg'): Promise<void> {
  const kind = only ?? draw.weighted(weightsOf(world))
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
      node.mood =
        kind === 'mend' ? 'well' : draw.pick(world.has.aheadNodes ? [...nodeMoods, 'ahead'] : nodeMoods)
      if (node.mood === 'short') world.wasUnclear = true
      return world.say(`${node.url} is ${node.mood}`)
    case 'receiver':
      world.receiver.mood = draw.pick(receiverMoods)
      return world.say(`the webhook receiver is ${world.receiver.mood}`)
    case 'commit':
      cluster.atCommit = draw.pick(['response lost', 'killed'])
      return
    case 'fee':
    case 'calm':
      world.model.setLeastFee(kind === 'fee' ? 60n * usualFee : 0n)
      return world.say(kind === 'fee' ? 'the base fee is 60 times as high' : 'the base fee may fall again')
    case 'clock':
      return setDayOff(world, cluster, replica, draw.pick([-1, 1]))
    case 'gas':
      world.setGas(draw.pick([0n, 1_000n * ether]))
      return
  }
}

/** Sets the clock of a replica a day ahead or behind. */
export function setDayOff(world: World, cluster: Cluster, replica: Replica, days: number): void {
  cluster.setClock(replica, days * dayMs)
  world.say(`the clock of ${replica.name} is ${days > 0 ? 'a day ahead' : 'a day behind'}`)
}

/** Ends all faults. The base fee stays high, so transactions with lower fees must be replaced. */
export function mendAll(world: World, cluster: Cluster): void {
  cluster.atCommit = undefined
  world.cards?.mend()
  for (const node of world.nodes) node.mood = 'well'
  world.receiver.mood = 'well'
  for (const replica of cluster.replicas) {
    replica.isFrozen = false
    cluster.setClock(replica, 0)
  }
  world.setGas(1_000n * ether)
  world.say('nothing fails any more')
}

function reorg(world: World, draw: Draw): Promise<void> | undefined {
  const { model } = world
  const longest = Number(model.head.number - model.options.first.number)
  const deepest = world.has.deepReorgs && draw.isIn(0.5) ? 2 * slotsInAnEpoch + 2 : slotsInAnEpoch
  const depth = Math.min(1 + draw.below(deepest), longest)
  return depth > 0 ? world.reorg(depth, draw) : undefined
}
