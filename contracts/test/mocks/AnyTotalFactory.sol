// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {CloneLib} from "../../src/CloneLib.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";

/// @dev Creates splits with any total of shares, and uses OpenZeppelin's revert strings. PaymentSplitter's
/// own tests need both to run against our split.
contract AnyTotalFactory {
    address public immutable IMPLEMENTATION = address(new MerchantSplit());
    uint256 private _count;

    event SplitMade(address split);

    function make(address[] calldata payees, uint32[] calldata shares) external returns (address split) {
        require(payees.length == shares.length, "PaymentSplitter: payees and shares length mismatch");
        require(payees.length > 0, "PaymentSplitter: no payees");
        for (uint256 i; i < payees.length; ++i) {
            require(payees[i] != address(0), "PaymentSplitter: account is the zero address");
            require(shares[i] > 0, "PaymentSplitter: shares are 0");
            for (uint256 j; j < i; ++j) {
                require(payees[i] != payees[j], "PaymentSplitter: account already has shares");
            }
        }
        (bytes memory code,) = CloneLib.splitInitCode(IMPLEMENTATION, payees, shares);
        split = CloneLib.create(code, bytes32(_count++));
        require(split != address(0), "creation failed");
        emit SplitMade(split);
    }
}
