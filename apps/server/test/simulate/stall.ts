import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../src/chain/chain.ts'
import { jobNames } from '../../src/platform/jobs/names.ts'
import type { JobName } from '../support/api/start-api.ts'
import { forwardCall } from '../support/chain/calls.ts'
import { transferData } from '../support/chain/chain-api.ts'
import type { Cluster } from './cluster.ts'
import type { Draw } from './draw.ts'
import { harm } from './faults.ts'
import type { Replica } from './replica.ts'
import type { World } from './world.ts'

/** Statements and requests of a scan. */
const mostGates = 20
/** Statements and requests of the other replica, which may have other work. */
const mostOtherGates = 200

/**
 * An hour passes, and somebody pays through a contract. A replica stops in the middle of its hourly scan.
 * Meanwhile, a reorg replaces the newest blocks, and the other replica scans them.
 */
export async function stall(world: World, cluster: Cluster, draw: Draw): Promise<void> {
  const stalled = draw.pick(cluster.replicas)
  const other = cluster.replicas.find((each) => each !== stalled) as Replica
  const work = (replica: Replica, name: JobName, most = mostOtherGates) =>
    runSome(world, cluster, { replica, name, most })
  await cluster.pass(3_600, 7)
  await payByContract(world, draw)
  await cluster.pass(2, 1)
  await work(other, jobNames.scanTransfers)
  world.say(`an hour has passed, and ${stalled.name} stops in its hourly scan`)
  await work(stalled, jobNames.scanClosed, draw.below(mostGates))
  await harm(world, cluster, draw, 'reorg')
  await work(other, jobNames.scanTransfers)
}

/** Sends native coin, which leaves no log, and a unit of the token to a deposit address. */
async function payByContract(world: World, draw: Draw): Promise<void> {
  if (world.asked.length === 0) return
  const { receipt, sources, token } = draw.pick(world.asked)
  const to = sources[0] as Wallet
  const units = BigInt(1 + draw.below(3_000_000))
  const send = async (
    call: { to: string; data: Hex; value?: bigint },
    money: { token: Wallet; units: bigint },
  ) => {
    const transaction = await world.stranger.send(call.to as Wallet, call)
    if (transaction) world.sent.push({ transaction, to, source: to, ...money })
    return transaction?.hash.slice(0, 10) ?? 'the mempool refuses'
  }
  const forwarded = forwardCall(to, units)
  const coin = await send(forwarded as { to: string; data: Hex; value: bigint }, {
    token: nativeAddress,
    units,
  })
  world.say(`${receipt}: a contract sends ${units} of ETH in ${coin}`)
  if (token === nativeAddress) return
  const dust = await send({ to: token, data: transferData(to, 1n) }, { token, units: 1n })
  world.say(`${receipt}: somebody sends 1 of ${world.nameOf(token)} in ${dust}`)
}

/** Lets a job pass some gates, unless it waits for a lock. */
async function runSome(
  { scheduler }: World,
  cluster: Cluster,
  { replica, name, most }: { replica: Replica; name: JobName; most: number },
): Promise<void> {
  await cluster.startJob(replica, name)
  for (let count = 0; count < most && !replica.isDead; count++) {
    const gate = scheduler.gates.find(({ task }) => task.owner === replica && task.name === name)
    if (!gate || gate.isBlocked) return
    await scheduler.resume(gate)
    cluster.check()
  }
}
