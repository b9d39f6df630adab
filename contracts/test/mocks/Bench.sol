// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitFactory} from "../../src/SplitFactory.sol";
import {TestUSDC} from "../../src/local/TestUSDC.sol";
import {TestUSDT} from "../../src/local/TestUSDT.sol";
import {vm} from "./Vm.sol";

abstract contract Bench {
    address internal constant ETH = address(0);
    bytes32 internal constant REF = keccak256("a reference");

    SplitFactory internal factory = new SplitFactory();
    TestUSDC internal usdc = new TestUSDC();
    TestUSDT internal usdt = new TestUSDT();

    function splitOf(address[] memory recipients, uint32[] memory bps) internal returns (MerchantSplit) {
        return MerchantSplit(factory.createSplit(recipients, bps, 0));
    }

    /// @dev Uses shares of 50.01% and 49.99%, so that most amounts leave a remainder.
    function splitOf(address a, address b) internal returns (MerchantSplit) {
        (address[] memory recipients, uint32[] memory bps) = two(a, b);
        return splitOf(recipients, bps);
    }

    function splitOf(address a, address b, address c) internal returns (MerchantSplit) {
        address[] memory recipients = new address[](3);
        uint32[] memory bps = new uint32[](3);
        (recipients[0], recipients[1], recipients[2]) = (a, b, c);
        (bps[0], bps[1], bps[2]) = (5_000, 3_000, 2_000);
        return splitOf(recipients, bps);
    }

    function two(address a, address b) internal pure returns (address[] memory recipients, uint32[] memory bps) {
        recipients = new address[](2);
        bps = new uint32[](2);
        (recipients[0], recipients[1]) = (a, b);
        (bps[0], bps[1]) = (5_001, 4_999);
    }

    function give(address to, uint256 amount) internal {
        vm.deal(address(this), address(this).balance + amount);
        (bool done,) = to.call{value: amount}("");
        require(done, "could not give ETH");
    }

    function person(string memory name) internal pure returns (address) {
        return address(uint160(uint256(keccak256(bytes(name)))));
    }

    function within(uint256 random, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + random % (high - low + 1);
    }
}
