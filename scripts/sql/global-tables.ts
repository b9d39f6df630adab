/**
 * Tables that belong to no merchant: what is one per deployment, and the small directories
 * over all merchants that say whose something is. Every other table is a tenant's and begins
 * its primary key with `merchant`.
 */
export const globalTables: ReadonlySet<string> = new Set([
  'lease',
  'spool_applied',
  'api_key_hash',
  'subscription_owner',
  'member_wallet',
  'login_challenge',
  'own_signer',
  'session',
  'rate_bucket',
  'made_receipt_id',
  'refund_due',
  'split_address',
  'split_change',
  'split_block',
  'distribution_due',
  'reconcile_due',
  'attempt_target',
  'payment_block',
  'deposit_coin',
  'log_claim',
  'chain_cursor',
  'chain_block',
  'chain_factory',
  'chain_head',
  'comparison_round',
  'own_transaction',
  'shop_slug',
  'brand',
  'brand_domain',
  'receipt_due',
])
