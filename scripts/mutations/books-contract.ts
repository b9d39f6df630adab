import { breakContract } from './break-contract.ts'

/** What a split received and released. */
export const splitBooksMutations = breakContract('SplitBooks', 'fuzz/MerchantSplit', {
  MAX_UNITS: [
    ['less than a book holds can be received', 'uint120', 'uint112', 'unit/Hostility'],
    ['more than a book holds can be received', 'uint120', 'uint128', 'unit/Hostility'],
  ],
  BELOW_LEVEL: [
    ['a book takes a bit less below its level', '136', '135', 'unit/Hostility'],
    ['a book takes a bit of its level for released', '136', '137'],
  ],
  KEPT: [
    ['the kept unit is marked where offsets are counted', '1 << 15', '1 << 14', 'unit/KeptUnit'],
    ['the kept unit is marked where releases are counted', '1 << 15', '1 << 16', 'unit/KeptUnit'],
  ],
  OFFSETS: [
    ['the kept unit counts as offsets', '1 << 15', '1 << 16', 'unit/KeptUnit'],
    ['no more than 63 payees may have an offset', '1 << 15', '1 << 6', 'unit/MerchantSplit'],
  ],
  lock: [
    ['the lock keeps nobody out', 'if (_locked) revert Reentered();', '', 'unit/Hostility'],
    ['the lock is never closed', '_locked = true;', '', 'unit/Hostility'],
    ['the lock is never opened', '_locked = false;', '', 'unit/PaymentLock'],
  ],
  totalReleased: [
    ['of ETH no release is told', '_books[address(0)]', '_books[address(1)]'],
    ['of every token the releases of ETH are told', '_books[address(token)]', '_books[address(0)]'],
  ],
  released: [
    [
      'of ETH no payee was released anything',
      '_released(address(0), account)',
      '_released(address(1), account)',
    ],
    [
      'of every token the releases of ETH are told to payees',
      '_released(address(token), account)',
      '_released(address(0), account)',
    ],
  ],
  releasable: [
    ['of ETH nothing is due', '_releasable(address(0), account)', '_releasable(address(1), account)'],
    ['the zero address is a token to ask about', '_nonZero(token)', 'address(token)', 'unit/MerchantSplit'],
  ],
  _due: [
    ['what was released is not part of what was received', 'balance + _releasedOf(book)', 'balance'],
    [
      'what was released already is due again',
      '- _releasedTo(book, offset, share, all)',
      '- 0 * _releasedTo(book, offset, share, all)',
    ],
    ['what is due is rounded up', 'received * share / all', '(received * share + all - 1) / all'],
    [
      'what is due wraps around below zero',
      'uint256 received = balance + _releasedOf(book);\n        return received * share / all - _releasedTo(book, offset, share, all);',
      'uint256 received = balance + _releasedOf(book); unchecked { return received * share / all - _releasedTo(book, offset, share, all); }',
      'unit/Hostility',
    ],
  ],
  _releasedTo: [
    ['offsets count the other way', '+ offset', '- offset'],
    ['offsets do not count', '+ offset', '+ 0 * offset'],
    [
      'what was released is rounded up',
      '_levelOf(book) * share / all',
      '(_levelOf(book) * share + all - 1) / all',
    ],
  ],
  _releasable: [
    [
      'the kept unit is not due',
      '_offsetOf(token, account, book, isLast)',
      '_offsetOf(token, account, book, isLast && false)',
      'unit/KeptUnit',
    ],
    ['of a token the ETH held is due', '_held(token)', '_held(address(0))'],
  ],
  _released: [
    [
      'the kept unit is told as released',
      '_offsetOf(token, account, book, isLast)',
      '_offsetOf(token, account, book, isLast && false)',
      'unit/KeptUnit',
    ],
  ],
  _offsetOf: [
    ['a unit is kept of everybody', 'isLast ? _keptOf(book) : 0', '_keptOf(book)', 'unit/KeptUnit'],
    [
      'the kept unit is of the others',
      'isLast ? _keptOf(book) : 0',
      'isLast ? 0 : _keptOf(book)',
      'unit/KeptUnit',
    ],
    ['the kept unit counts as released twice', '- int256', '+ int256', 'unit/KeptUnit'],
    ['offsets are shared by all tokens', '_offsets[token][account]', '_offsets[address(0)][account]'],
  ],
  _held: [
    ['a split holds no ETH', 'address(this).balance', '0', 'unit/MerchantSplit'],
    ["a split's ETH is its caller's", 'address(this).balance', 'msg.sender.balance'],
  ],
  _nonZero: [
    [
      'the zero address is a token to release',
      'if (address(token) == address(0)) revert NotAToken(address(0));',
      '',
      'unit/MerchantSplit',
    ],
  ],
  _balanceOf: [
    ['another function tells the balance', '0x70a08231', '0x70a08232', 'unit/Payments'],
    ["the split's balance is its caller's", 'address())', 'caller())', 'unit/Payments'],
    [
      'a token that fails to tell a balance is a token',
      'if (!ok) revert NotAToken(token);',
      'ok;',
      'unit/Payments',
    ],
    ['a short balance is one', 'ok := and(ok, gt(returndatasize(), 0x1f))', '', 'unit/Payments'],
    [
      'a balance of 31 bytes is one',
      'gt(returndatasize(), 0x1f)',
      'gt(returndatasize(), 0x1e)',
      'unit/Payments',
    ],
    [
      'a balance of one word is none',
      'gt(returndatasize(), 0x1f)',
      'gt(returndatasize(), 0x20)',
      'unit/Payments',
    ],
    [
      'a reverted answer is a balance',
      'ok := and(ok, gt(returndatasize(), 0x1f))',
      'ok := gt(returndatasize(), 0x1f)',
      'unit/Payments',
    ],
  ],
  _levelOf: [
    ['the level has a bit of the releases', '136', '135'],
    ['the level loses its last bit', '136', '137'],
  ],
  _releasedOf: [
    ['releases have the mark of the kept unit', '16', '15', 'unit/KeptUnit'],
    ['releases lose their last bit', '16', '17', 'unit/KeptUnit'],
    ['releases have the bits of the level', '(book & BELOW_LEVEL) >> 16', 'book >> 16'],
  ],
  _offsetsOf: [['offsets are not counted', 'book & OFFSETS', 'book & 0']],
  _keptOf: [
    ['the kept unit is never seen', '(book & KEPT) >> 15', '0 * book', 'unit/KeptUnit'],
    ['the kept unit is two', '>> 15', '>> 14', 'unit/KeptUnit'],
  ],
})
