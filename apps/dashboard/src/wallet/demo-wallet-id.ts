/** How the demo merchant's wallet is known. */
export const demoWalletId = 'local.sluice.merchant'
