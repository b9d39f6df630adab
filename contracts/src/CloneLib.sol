// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The byte code of the two kinds of clone the factory makes
/// @notice Both are minimal proxies (the EIP-1167 idea) with a head that answers plain ETH by itself, so that
/// it arrives under the 2,300 gas that `transfer` and `send` leave to a recipient.
///
/// A split is `head (48 bytes) | proxy (44 bytes) | rows (22 bytes a payee)`, a row being
/// `address (20 bytes) | running total of shares (2 bytes)`. A payee's shares are its running total less the
/// one before it, and the last one is the total of all: no loop is needed to know it, and none can overflow.
/// Payees live in code because a byte of code costs 200 gas once and next to nothing to read.
library CloneLib {
    /// @dev Where the rows begin in a split's code.
    uint256 internal constant ROWS_AT = 92;
    /// @dev Length of one row.
    uint256 internal constant ROW_SIZE = 22;
    /// @dev Most shares a split can count: what two bytes hold.
    uint256 internal constant MAX_TOTAL_SHARES = type(uint16).max;

    /// @dev Most payees of a split: what a distribution pays within a fraction of a block.
    uint256 internal constant MAX_PAYEES = 100;

    /// @notice There is no recipient, or there are more than a split can have.
    error RecipientCount(uint256 count);
    /// @notice `recipients` and `shares` differ in length.
    error LengthMismatch(uint256 recipients, uint256 shares);
    /// @notice A recipient is the zero address.
    error RecipientZero(uint256 index);
    /// @notice A recipient appears twice.
    error RecipientRepeated(address recipient);
    /// @notice A recipient has no share.
    error ShareZero(uint256 index);
    /// @notice The shares add up to more than a split can count.
    error TotalSharesTooLarge(uint256 total);

    /// @notice The creation code of a split, and the sum of its shares.
    /// @dev Recipients may come in any order. In ascending order a repeated one is seen by one comparison;
    /// only a recipient that breaks the order is looked up among those before it.
    function splitInitCode(address implementation, address[] calldata recipients, uint32[] calldata shares)
        internal
        pure
        returns (bytes memory code, uint256 total)
    {
        uint256 count = recipients.length;
        if (count == 0 || count > MAX_PAYEES) revert RecipientCount(count);
        if (count != shares.length) revert LengthMismatch(count, shares.length);
        uint256 row;
        assembly ("memory-safe") {
            code := mload(0x40)
            let size := add(ROWS_AT, mul(ROW_SIZE, count)) // of the runtime code
            mstore(code, add(size, 10))
            let at := add(code, 0x20)
            // 61 size 80 60 0a 3d 39 3d f3: return everything after these ten bytes.
            mstore(at, or(shl(232, 0x610000), or(shl(232, size), shl(176, 0x80600a3d393df3))))
            // Head. With calldata: on to the proxy. Without: emit PaymentReceived(caller, value), stop.
            // 36 602f 57 | 33 5f 52 | 34 59 52 | 7f topic | 59 5f a1 00 | 5b
            mstore(add(at, 10), shl(168, 0x36602f57335f523459527f))
            mstore(add(at, 21), 0x6ef95f06320e7a25a04a175ca677b7052bdd97131872c2192525a629f51be770)
            mstore(add(at, 53), shl(216, 0x595fa1005b))
            // Proxy. Hands the calldata to the implementation and its answer back.
            // 36 5f 5f 37 | 5f 5f 36 5f 73 impl 5a f4 | 3d 5f 5f 3e | 5f 3d 91 605a 57 fd 5b f3
            mstore(add(at, 58), shl(184, 0x365f5f375f5f365f73))
            mstore(add(at, 67), shl(96, implementation))
            mstore(add(at, 87), shl(136, 0x5af43d5f5f3e5f3d91605a57fd5bf3))
            row := add(at, 102)
            // Each row writes 32 bytes, 10 of them beyond itself.
            mstore(0x40, and(add(add(row, mul(ROW_SIZE, count)), 0x3f), not(0x1f)))
        }
        uint256 first = row;
        uint256 highest;
        unchecked {
            for (uint256 i; i < count; ++i) {
                uint256 recipient = uint160(recipients[i]);
                uint256 share = shares[i];
                if (share == 0) revert ShareZero(i);
                total += share;
                if (recipient > highest) {
                    highest = recipient;
                } else {
                    if (recipient == 0) revert RecipientZero(i);
                    _refuseRepeated(recipient, first, row);
                }
                assembly ("memory-safe") {
                    mstore(row, or(shl(96, recipient), shl(80, total)))
                    row := add(row, ROW_SIZE)
                }
            }
        }
        if (total > MAX_TOTAL_SHARES) revert TotalSharesTooLarge(total);
    }

    /// @notice The creation code of a deposit address: 42 bytes of runtime code, no arguments.
    /// @dev Without calldata it stops and keeps the ETH. With calldata it delegates, and answers with one word:
    /// 1 if the implementation went through, else 0. It never reverts, so ETH sent with a memo arrives too.
    function depositInitCode(address implementation) internal pure returns (bytes memory code) {
        assembly ("memory-safe") {
            code := mload(0x40)
            mstore(0x40, add(code, 0x60))
            mstore(code, 51)
            // 602a 80 6009 3d 39 3d f3: return everything after these nine bytes.
            // No calldata: stop. Else copy it and delegate. 36 6005 57 00 5b | 36 5f 5f 37 | 5f 5f 36 5f 73 impl 5a f4
            mstore(add(code, 0x20), shl(64, 0x602a8060093d393df336600557005b365f5f375f5f365f73))
            mstore(add(code, 0x38), shl(96, implementation))
            // Answer whether it went through: 5f 52 59 5f f3
            mstore(add(code, 0x4c), shl(200, 0x5af45f52595ff3))
        }
    }

    /// @notice The address CREATE2 gives to code with this hash when `deployer` makes it with `salt`.
    function predict(address deployer, bytes32 salt, bytes32 initCodeHash) internal pure returns (address clone) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(0x40, initCodeHash)
            mstore(0x20, salt)
            mstore(0x00, or(shl(160, 0xff), shr(96, shl(96, deployer))))
            clone := shr(96, shl(96, keccak256(0x0b, 0x55)))
            mstore(0x40, free)
        }
    }

    /// @notice Makes the clone. Zero if the creation failed, which only want of gas can cause.
    function create(bytes memory initCode, bytes32 salt) internal returns (address clone) {
        assembly ("memory-safe") {
            clone := create2(0, add(initCode, 0x20), mload(initCode), salt)
        }
    }

    function _refuseRepeated(uint256 recipient, uint256 first, uint256 end) private pure {
        for (uint256 row = first; row < end;) {
            uint256 other;
            assembly ("memory-safe") {
                other := shr(96, mload(row))
                row := add(row, ROW_SIZE)
            }
            if (other == recipient) revert RecipientRepeated(address(uint160(recipient)));
        }
    }
}
