/** Init script that announces a browser wallet (EIP-6963), for pages that are measured or photographed. */
export const announceWallet = `{
  const icon = 'data:image/svg+xml,' + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#7a5cff"/></svg>')
  const info = { uuid: '6a1e3f0c-93a5-4b0e-8d7b-2f4a1c5e9b10', name: 'Example Wallet', icon, rdns: 'com.example.wallet' }
  const provider = { request: async () => [], on() {}, removeListener() {} }
  const detail = Object.freeze({ info, provider })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
}`
