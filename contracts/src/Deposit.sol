// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title What stands behind every deposit address
/// @notice A payment attempt's own address. It holds what a buyer sends, in any token, until anyone has the
/// factory sweep it; the factory names the one split that is part of the address, so nothing can go elsewhere.
/// @dev Runs by delegation from the clones of `CloneLib.depositInitCode`.
contract Deposit {
    address private immutable FACTORY = msg.sender;

    /// @notice The caller is not the factory.
    error OnlyFactory();

    /// @notice Sends `amount` of `token` to `split`. Only the factory, which knows the split of this address.
    /// @param token Token contract, or the zero address for ETH.
    /// @param amount Base units (wei for ETH).
    function sweep(address token, address split, uint256 amount) external {
        if (msg.sender != FACTORY) revert OnlyFactory();
        if (token == address(0)) SafeTransferLib.safeTransferETH(split, amount);
        else SafeTransferLib.safeTransfer(token, split, amount);
    }
}
