import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCitus } from './build-citus.ts'
import type { ClusterUrls } from './make-database.ts'
import { type ScaleNode, startNode } from './start-node.ts'

/** What a run works on. */
export type OpenCluster = {
  readonly urls: ClusterUrls
  /** Ours: nodes that may be capped, and one PostgreSQL without Citus beside them. */
  readonly own?: { readonly workers: readonly ScaleNode[]; readonly plain: ScaleNode }
  stop(): Promise<void>
}

/** The cluster that URLs lead to; else one of our own, a coordinator and two workers, in a temporary folder. */
export async function openCluster(given: {
  coordinator: string | undefined
  workers: string | undefined
  source: string | undefined
}): Promise<OpenCluster> {
  const { coordinator, workers, source } = given
  if (coordinator !== undefined)
    return { urls: { coordinator, workers: (workers ?? '').split(',').filter(Boolean) }, async stop() {} }
  const programs = await buildCitus(source)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-scale-'))
  // Its nodes run as another user.
  chmodSync(folder, 0o755)
  const nodes: ScaleNode[] = []
  const stop = async () => {
    for (const node of nodes) await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const name of ['coordinator', 'worker-1', 'worker-2', 'plain'])
      nodes.push(await startNode(programs, join(folder, name), { isCitus: name !== 'plain' }))
  } catch (error) {
    await stop()
    throw error
  }
  const [first, one, two, plain] = nodes as [ScaleNode, ScaleNode, ScaleNode, ScaleNode]
  const urls = { coordinator: first.url, workers: [one.url, two.url] }
  return { urls, own: { workers: [one, two], plain }, stop }
}
