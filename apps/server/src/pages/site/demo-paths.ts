/** Where a local service leads to a receipt of the demo merchant that is still to be paid. */
export const demoCheckoutPath = '/local/checkout'

/** What the shop of the demo merchant is called in its address. */
export const demoShopSlug = 'demo'

/** Its storefront. */
export const demoShopPath = `/shop/${demoShopSlug}`
