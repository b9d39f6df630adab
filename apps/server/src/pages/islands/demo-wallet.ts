/**
 * Demo wallet for a local service. It announces itself through EIP-6963, and the service signs for the demo
 * buyer.
 *
 * Included on the local chain only, where the money has no value.
 */

const path = '/local/wallet'

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Crect width=%2232%22 height=%2232%22 rx=%228%22 fill=%22%23c2571a%22/%3E%3Ctext x=%2216%22 y=%2222%22 font-size=%2216%22 font-family=%22sans-serif%22 text-anchor=%22middle%22 fill=%22%23fff%22%3E$%3C/text%3E%3C/svg%3E'

type RpcResponse = { result: unknown } | { error: { code: number; message: string } }

const provider = {
  async request(call: { method: string; params?: readonly unknown[] }): Promise<unknown> {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    })
    const reply = (await response.json()) as RpcResponse
    if ('result' in reply) return reply.result
    throw Object.assign(new Error(reply.error.message), { code: reply.error.code })
  },
  on() {},
  removeListener() {},
}

const detail = Object.freeze({
  info: Object.freeze({
    uuid: '2f0c1f5e-7d5b-4b53-9d0e-5155ce000001',
    name: 'Demo buyer (play money)',
    icon,
    rdns: 'local.sluice.demo',
  }),
  provider,
})

const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
window.addEventListener('eip6963:requestProvider', announce)
announce()
