// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "solady/tokens/ERC20.sol";

/// @title Coinbase Wrapped BTC for a local chain: worth nothing, minted by anyone
/// @dev No constructor and no immutables: the runtime code works wherever it is put.
contract TestCbBTC is ERC20 {
    /// @notice Makes `amount` base units for `to`. Anyone may.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function name() public pure override returns (string memory) {
        return "Coinbase Wrapped BTC";
    }

    function symbol() public pure override returns (string memory) {
        return "cbBTC";
    }

    function decimals() public pure override returns (uint8) {
        return 8;
    }

    function _givePermit2InfiniteAllowance() internal pure override returns (bool) {
        return false;
    }
}
