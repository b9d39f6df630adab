export const demoWalletId = 'local.sluice.merchant'
