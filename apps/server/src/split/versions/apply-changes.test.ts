import { expect, test } from 'vitest'
import { openMachines } from '../../../test/support/database/machines.ts'
import { isOnCluster } from '../../../test/support/database/on-cluster.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { seededRandom } from '../../../test/support/test-random.ts'
import { Places } from '../../platform/cluster/places.ts'
import { makeLog } from '../../platform/log.ts'
import { Secrets } from '../../platform/secrets.ts'
import { applySplitChangesJob } from './apply-changes.ts'

const database = perFile(makeTestDatabase)

test.skipIf(isOnCluster)(
  'changes of merchants whose machine is away, as many as are listed at once, keep nobody from his turn',
  async () => {
    const machines = await openMachines(database.pool)
    const [db, clock, log] = [machines.between(database.pool), new TestClock(), makeLog('silent')]
    const secrets = new Secrets('a master key of at least 32 signs!', seededRandom(1))
    const places = new Places({ db, clock, log })
    const place = await machines.placeOf('0x0')
    const [away, there]: [string[], string[]] = [[], []]
    for (let i = 0; away.length < 60 || there.length < 1; i++) {
      const own = (await machines.placeOf(`0x${i}`)) === place ? away : there
      own.push(`0x${i}`)
    }
    for (const [at, merchant] of [...away, ...there.slice(0, 1)].entries()) {
      const run = (text: string) => database.pool.run({ name: '', text })
      await run(`INSERT INTO split_change VALUES ('${merchant}', 2, 1, '${merchant}', ${at})`)
      await run(`INSERT INTO split_address (chain, address, merchant, version, is_deployed)
        VALUES (1, '${merchant}', '${merchant}', 2, true)`)
    }
    await machines.cut(place)
    const job = applySplitChangesJob({ db, clock, log, places, chain: { id: 1 }, secrets })
    const outcomes = []
    for (let round = 0; round < 2; round++) outcomes.push(await job.run(new AbortController().signal))
    expect(outcomes).toEqual(['again', 'done'])
    const left = await database.pool.rows<{ merchant: string }>({
      name: '',
      text: 'SELECT merchant FROM split_change',
    })
    expect(left.map(({ merchant }) => merchant).toSorted()).toEqual(away.toSorted())
  },
)
