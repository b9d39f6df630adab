import { demoWalletId } from './demo-wallet-id.ts'
import type { Provider } from './provider.ts'

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Crect width=%2232%22 height=%2232%22 rx=%228%22 fill=%22%230b5d66%22/%3E%3Cpath d=%22M7 12c3-3 6-3 9 0s6 3 9 0M7 20c3-3 6-3 9 0s6 3 9 0%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%223%22 stroke-linecap=%22round%22/%3E%3C/svg%3E'

type RpcResponse = { result: unknown } | { error: { code: number; message: string } }

/**
 * Creates the demo merchant's wallet, which holds play money. A local service handles its requests at `path`.
 */
export function demoWallet(path: string, name: string) {
  const provider: Provider = {
    async request(call) {
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call),
      })
      const reply = (await response.json()) as RpcResponse
      if ('result' in reply) return reply.result
      throw Object.assign(new Error(reply.error?.message ?? response.statusText), {
        code: reply.error?.code,
      })
    },
  }
  return { id: demoWalletId, name, icon, provider }
}
