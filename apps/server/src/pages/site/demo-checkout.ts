/** Where a local service leads to a receipt of the demo merchant that is still to be paid. */
export const demoCheckoutPath = '/local/checkout'
