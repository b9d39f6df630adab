import { accessMutations } from './access.ts'
import { eventMutations } from './events.ts'
import { managingMutations } from './managing.ts'
import type { Mutation } from './mutation.ts'
import { receiptMutations } from './receipts.ts'
import { salesMutations } from './sales.ts'
import { shopMutations } from './shops.ts'

/** The checked list. */
export const mutations: readonly Mutation[] = [
  ...receiptMutations,
  ...managingMutations,
  ...accessMutations,
  ...salesMutations,
  ...shopMutations,
  ...eventMutations,
]
