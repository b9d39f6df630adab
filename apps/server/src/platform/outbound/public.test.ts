import { describe, expect, test } from 'vitest'
import { get, nonPublicHosts, openOutbound, watchLoopback } from '../../../test/support/api/outbound.ts'

describe('with public targets only', () => {
  test(`none of ${nonPublicHosts.length} spellings of an address that is not public gets a connection`, async () => {
    const { port, connectionCount } = await watchLoopback()
    const asked: string[] = []
    const resolve = async (hostname: string) => {
      asked.push(hostname)
      return ['127.0.0.1']
    }
    const outbound = openOutbound({ targets: 'public', resolve })
    const hosts = nonPublicHosts
    expect(hosts.length).toBeGreaterThanOrEqual(80)
    for (const host of hosts) {
      const outcome = await outbound.request(get(`http://${host}:${port}/hook`, { timeoutMs: 2_000 }))
      expect({ host, outcome }).toMatchObject({ outcome: { kind: 'error', error: 'refused-target' } })
    }
    expect(connectionCount()).toBe(0)
    expect(asked).toEqual([])

    const anything = openOutbound()
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0'])
      await anything.request(get(`http://${host}:${port}/hook`))
    expect(connectionCount(), 'the log sees the connections there are').toBe(7)
  })

  const alone = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.5', '169.254.169.254'].map((each) => [each])
  const mixed = [
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['2606:4700:4700::1111', '::1'],
  ]

  test.each(
    [...alone, ...mixed].map((addresses) => [addresses]),
  )('a name that leads to %j is refused', async (addresses) => {
    const { port, connectionCount } = await watchLoopback()
    const outbound = openOutbound({ targets: 'public', resolve: async () => addresses })
    const outcome = await outbound.request(get(`http://hook.example.com:${port}/`, { timeoutMs: 2_000 }))
    expect(outcome).toMatchObject({ kind: 'error', error: 'refused-target' })
    expect(connectionCount()).toBe(0)
  })

  test('a name is looked up once for a connection, so a second answer has nobody to mislead', async () => {
    const { port, connectionCount } = await watchLoopback()
    let lookups = 0
    const outbound = openOutbound({
      targets: 'public',
      resolve: async () => (lookups++ % 2 === 0 ? ['192.0.2.1', '127.0.0.1'] : ['127.0.0.1']),
    })
    for (let i = 1; i <= 6; i++) {
      const outcome = await outbound.request(get(`http://rebind.example.com:${port}/`, { timeoutMs: 2_000 }))
      expect(outcome).toMatchObject({ kind: 'error', error: 'refused-target' })
      expect(lookups).toBe(i)
    }
    expect(connectionCount()).toBe(0)
  })

  test('plain http is refused unless it is allowed', async () => {
    const outbound = openOutbound({ targets: 'public', allowHttp: false, resolve: async () => ['127.0.0.1'] })
    const outcome = await outbound.request(get('http://hook.example.com/'))
    expect(outcome).toEqual({ kind: 'error', error: 'refused-target', detail: 'not-https' })
  })
})
